import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub, tokenIn } from '../fixtures/hub-process.ts';
import { connectSdk } from '../fixtures/mcp-sdk-clients.ts';

type Touches = {
  files: { given: string; leadsTo: string; state: string }[];
  hosts: { given: string; host: string | null; remote: { name: string; isNamed: boolean } | null }[];
  hasCommand: boolean;
  isMore: boolean;
};

async function open() {
  const folder = freshFolder();
  execFileSync('git', ['init', '-q', folder]);
  const remote = (...words: string[]) => execFileSync('git', ['-C', folder, 'remote', ...words]);
  remote('add', 'origin', 'git@code.example.com:harbour/site.git');
  remote('add', 'mirror', 'https://reader@mirror.example.net/site.git');
  remote('set-url', '--push', 'mirror', 'ssh://git@push.example.net:2222/site.git');
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/app.ts'), 'one\n');
  symlinkSync('src', join(folder, 'code'));
  symlinkSync('/etc', join(folder, 'out'));
  const env = freshHome();
  const { address } = await startHub(env, ['--port', '0', '--workspace', folder]);
  const headers = { authorization: `Bearer ${tokenIn(env)}`, 'content-type': 'application/json' };
  const post = async (path: string, body: object): Promise<any> =>
    (await fetch(`${address}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  const { token } = await post('/api/tokens', { agent: 'ada', team: 'red' });
  const client = await connectSdk('SDK v1', {
    url: `${address}/mcp`,
    headers: { authorization: `Bearer ${token}` },
  });
  const approvals = '/api/tools/approvals';
  const waiting = async (): Promise<{ id: string }[]> =>
    ((await (await fetch(`${address}${approvals}`, { headers })).json()) as any).approvals;
  return async (name: string, args: Record<string, unknown>): Promise<Touches> => {
    const done = client.call(name, args);
    await expect.poll(async () => (await waiting()).length).toBe(1);
    const [{ id }] = (await waiting()) as [{ id: string }];
    const answer = await fetch(`${address}${approvals}/${id}/touches`, { headers });
    await post(`${approvals}/${id}/resolve`, { decision: 'deny' });
    await done;
    return (await answer.json()) as Touches;
  };
}

it('a path is told where it leads, and whether anything is there', async () => {
  const touchesOf = await open();
  const written = await touchesOf('Write', { path: 'code/new.ts', content: 'x' });
  expect(written.files).toEqual([{ given: 'code/new.ts', leadsTo: 'src/new.ts', state: 'missing' }]);
  expect(written.hasCommand).toBe(false);
  const edited = await touchesOf('Write', {
    path: 'code/app.ts',
    content: 'x',
    unsafe_overwrite_without_read: true,
  });
  expect(edited.files).toEqual([{ given: 'code/app.ts', leadsTo: 'src/app.ts', state: 'file' }]);
});

it('the files of a command lead where the shell would lead them', async () => {
  const touchesOf = await open();
  const { files, hasCommand } = await touchesOf('Bash', {
    command: 'cd code && rm app.ts ../out/passwd gone.ts > log.txt && echo nothing/here',
  });
  expect(hasCommand).toBe(true);
  expect(files.map(({ leadsTo, state }) => [leadsTo, state])).toEqual([
    ['src/log.txt', 'missing'],
    ['src/app.ts', 'file'],
    ['/etc/passwd', 'outside'],
    ['src/gone.ts', 'missing'],
  ]);
});

it('a host is told by its name: of an address without its password, of a remote by its repository', async () => {
  const touchesOf = await open();
  const { hosts } = await touchesOf('Bash', {
    command:
      'git push && git push mirror main && git fetch mirror && curl https://ann:pass@web.example.org/x',
  });
  expect(hosts.map(({ host, remote }) => [host, remote?.name ?? null])).toEqual([
    ['web.example.org', null],
    ['code.example.com', 'origin'],
    ['push.example.net:2222', 'mirror'],
    ['mirror.example.net', 'mirror'],
  ]);
  expect(JSON.stringify(hosts)).not.toContain('pass@');
  const { hosts: own } = await touchesOf('Bash', { command: 'npm publish' });
  expect(own).toEqual([{ given: 'npm publish', host: null, remote: null }]);
});

it('many are bounded, and it says so', async () => {
  const touchesOf = await open();
  const many = Array.from({ length: 90 }, (_, at) => `file-${at}`).join(' ');
  const { files, isMore } = await touchesOf('Bash', { command: `rm ${many}` });
  expect(files).toHaveLength(40);
  expect(isMore).toBe(true);
});
