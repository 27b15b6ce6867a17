// Two repositories, two clients, real `holdfast serve` processes beside a real hub: each works where it was started, and
// what was allowed for one holds for no other.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pendingOf, resolveOf } from '../fixtures/approvals.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { modernCall } from '../fixtures/modern-call.ts';
import { freshHome, runHoldfast, startHub } from '../fixtures/hub-process.ts';
import { git, newRepository, newRepositoryWithCommit } from '../fixtures/repositories.ts';
import { startStdio, type StdioClient } from '../fixtures/stdio-client.ts';

const ALLOW = 'version: 1\nrules:\n  - { decide: allow }\n';

type Options = Readonly<{ policy?: string; env?: Readonly<Record<string, string>>; isAlone?: boolean }>;

async function open({ policy, env: extra = {}, isAlone = false }: Options = {}) {
  const at = freshFolder();
  const [api, web] = ['api', 'web'].map((name) => {
    const folder = newRepositoryWithCommit(join(at, name));
    writeFileSync(join(folder, 'README.md'), `this is ${name}\n`);
    return folder;
  }) as [string, string];
  const env = freshHome({ HOLDFAST_SANDBOX: 'off', HOLDFAST_APPROVAL_WAIT: '20s', ...extra });
  const home = env['HOLDFAST_HOME']!;
  if (policy !== undefined) writeFileSync(join(home, 'policy.yaml'), policy);
  const hub = isAlone ? undefined : await startHub(env);
  const serve = (folder: string, client = 'claude-code', args: readonly string[] = []) =>
    startStdio(env, 'holdfast', ['serve', ...args], folder, client);
  const asLocal = async (method: string, path: string, body?: object) => ({
    body: await restAt(hub!.address)(method, path, body),
  });
  const rest = async (method: string, path: string, body?: object): Promise<any> =>
    (await asLocal(method, `/api/tools${path}`, body)).body;
  const waiting = () => pendingOf(asLocal, 10_000);
  const decide = async (id: string, decision: string, more: object = {}) =>
    (await resolveOf(asLocal, id, { decision, ...more })).body;
  /** Did it run without anybody being asked? What asks is refused. */
  const runsUnasked = async (client: StdioClient, tool: string, args: object) => {
    const calling = client.call(tool, args);
    const asked = await Promise.race([calling.then(() => undefined), waiting().catch(() => undefined)]);
    if (asked) await decide(asked.id, 'deny');
    await calling;
    return asked === undefined;
  };
  return { at, api, web, env, home, hub, serve, rest, waiting, decide, runsUnasked };
}

const said = (answer: Awaited<ReturnType<StdioClient['call']>>) => JSON.stringify(answer);

describe.each(['beside a hub', 'alone'])('the workspace of a call, %s', (standing) => {
  it('is the top of the repository its client works in', async () => {
    const { api, web, serve } = await open({ policy: ALLOW, isAlone: standing === 'alone' });
    mkdirSync(join(api, 'src'));
    // One after the other where there is no hub: a SQLite file has one writer at a time.
    for (const [folder, name] of [
      [join(api, 'src'), 'api'],
      [web, 'web'],
    ] as const) {
      const client = await serve(folder);
      const top = name === 'api' ? api : web;
      expect((await client.call('Read', { path: 'README.md' })).structuredContent).toMatchObject({
        content: `this is ${name}`,
      });
      await client.call('Write', { path: 'made.txt', content: name });
      expect(readFileSync(join(top, 'made.txt'), 'utf8')).toBe(name);
      const { structuredContent } = await client.call('Bash', { command: 'pwd' });
      expect(structuredContent).toMatchObject({ stdout: `${top}\n` });
      await client.call('tools__delete_path', { path: 'made.txt' });
      expect(existsSync(join(top, 'made.txt'))).toBe(false);
      expect(existsSync(join(top, '.holdfast-trash'))).toBe(true);
      const other = name === 'api' ? web : api;
      for (const tool of ['Read', 'tools__delete_path'])
        expect(said(await client.call(tool, { path: join(other, 'README.md') }))).toContain('outside');
      await client.end();
    }
  });
});

it('two clients at once in two repositories each have their own', async () => {
  const { api, web, serve } = await open({ policy: ALLOW });
  const clients = await Promise.all([
    serve(api),
    serve(api, 'codex'),
    serve(web),
    serve(web, 'codex', ['--team', 'api']),
  ]);
  const read = await Promise.all(clients.map((client) => client.call('Read', { path: 'README.md' })));
  expect(read.map(({ structuredContent }) => structuredContent['content'])).toEqual([
    'this is api',
    'this is api',
    'this is web',
    'this is web',
  ]);
});

it('the documented stdio bins work where they are started, and have no project of it', async () => {
  const { api, web, env, hub } = await open({ policy: ALLOW });
  writeFileSync(join(api, 'old.txt'), 'x');
  writeFileSync(join(web, 'old.txt'), 'x');
  const client = await startStdio(env, 'clawboo-mcp-tools', [], api);
  await client.call('delete_path', { path: 'old.txt' });
  expect([existsSync(join(api, 'old.txt')), existsSync(join(web, 'old.txt'))]).toEqual([false, true]);
  const { projects } = (await (await fetch(`${hub!.address}/api/projects`)).json()) as {
    projects: unknown[];
  };
  expect(projects).toEqual([]);
});

it('worktrees, submodules, links: the working copy a folder is in, however it was reached', async () => {
  const { at, api, web, serve } = await open({ policy: ALLOW });
  git(api, 'add', '-A');
  git(api, 'commit', '-q', '-m', 'readme');
  git(api, 'worktree', 'add', '-q', join(at, 'tree'));
  git(web, 'submodule', '--quiet', 'add', api, 'lib');
  git(at, 'clone', '-q', '--bare', api, 'bare.git');
  symlinkSync(web, join(at, 'link'));
  const where = async (folder: string) => {
    const client = await serve(folder);
    const { structuredContent } = await client.call('Bash', { command: 'pwd' });
    await client.end();
    return String(structuredContent['stdout']).trim();
  };
  expect(await where(join(at, 'tree'))).toBe(join(at, 'tree'));
  expect(await where(join(web, 'lib'))).toBe(join(web, 'lib'));
  expect(await where(join(at, 'link'))).toBe(web);
  for (const none of [join(at, 'bare.git'), join(web, '.git'), at])
    expect(await where(none), none).toMatch(/workspace$/);
});

it('who works in no repository, or comes from elsewhere, has --workspace', async () => {
  const everybody = freshFolder();
  writeFileSync(join(everybody, 'README.md'), 'for everybody\n');
  const { at, api, hub, home, serve } = await open({ policy: ALLOW, env: { HOLDFAST_WORKSPACE: everybody } });
  const outside = await serve(at);
  expect(said(await outside.call('Read', { path: 'README.md' }))).toContain('for everybody');
  const inside = await serve(api);
  expect(said(await inside.call('Read', { path: 'README.md' }))).toContain('this is api');
  // A URL names a team, and no folder.
  const token = readFileSync(join(home, 'token'), 'utf8').trim();
  for (const query of ['', '?defaultTeamId=api', '?scopeTeamId=api']) {
    const answer = await modernCall(`${hub!.address}/mcp${query}`, {
      name: 'Read',
      args: { path: 'README.md' },
      token,
    });
    expect(await answer.text(), query).toContain('for everybody');
  }
});

it('a repository that the home of the hub is part of is no workspace', async () => {
  const person = newRepository(join(freshFolder(), 'person'));
  mkdirSync(join(person, 'hub'));
  writeFileSync(join(person, 'secret.txt'), 'dotfiles');
  const { serve } = await open({ policy: ALLOW, env: { HOLDFAST_HOME: join(person, 'hub') } });
  const client = await serve(person);
  expect(said(await client.call('Read', { path: join(person, 'secret.txt') }))).toContain('outside');
  expect((await client.call('Bash', { command: 'pwd' })).structuredContent['stdout']).toBe(
    `${join(person, 'hub', 'workspace')}\n`,
  );
});

it('a folder that goes away leaves nothing to work in, also while a call waits', async () => {
  const { api, serve, waiting, decide } = await open({ env: { HOLDFAST_WORKSPACE: freshFolder() } });
  const client = await serve(api);
  const calling = client.call('Write', { path: 'late.txt', content: 'x' });
  const { id } = await waiting();
  renameSync(api, `${api}-moved`);
  await decide(id, 'allow_once');
  expect(said(await calling)).toContain('is gone');
  expect(existsSync(join(`${api}-moved`, 'late.txt'))).toBe(false);
  expect(said(await client.call('Read', { path: 'README.md' }))).toContain('is gone');
  const reborn = newRepository(api);
  writeFileSync(join(reborn, 'README.md'), 'another\n');
  expect(said(await client.call('Read', { path: 'README.md' }))).toContain('another');
});

it('taking .git away makes no wider workspace', async () => {
  const { web, serve } = await open({ policy: ALLOW });
  const inner = newRepository(join(web, 'inner'));
  writeFileSync(join(inner, 'README.md'), 'inner\n');
  const client = await serve(inner);
  expect(said(await client.call('Read', { path: 'README.md' }))).toContain('inner');
  rmSync(join(inner, '.git'), { recursive: true });
  expect(said(await client.call('Read', { path: '../README.md' }))).toContain('outside');
});

it('a command in the background belongs to the workspace and the client that started it', async () => {
  const { api, web, serve } = await open({ policy: ALLOW });
  const claude = await serve(api);
  const { structuredContent } = await claude.call('Bash', {
    command: 'echo mine; sleep 20',
    background: true,
  });
  const task = { task_id: structuredContent['task_id'] };
  expect(said(await claude.call('BashOutput', task))).toContain('mine');
  expect(said(await (await serve(api)).call('BashOutput', task))).toContain('mine');
  for (const other of [await serve(web), await serve(api, 'codex')]) {
    expect(said(await other.call('BashOutput', task))).toContain('There is no background command');
    expect(said(await other.call('BashKill', task))).toContain('There is no background command');
  }
  await claude.call('BashKill', task);
});

it('what was trashed in one workspace is restored in no other', async () => {
  const { api, web, serve } = await open({ policy: ALLOW });
  const claude = await serve(api, 'claude-code', ['--profile', 'full']);
  const deleted = said(await claude.call('tools__delete_path', { path: 'README.md' }));
  const id = /with id ([0-9a-f-]+)/.exec(deleted)![1];
  const other = await serve(web, 'claude-code', ['--profile', 'full']);
  expect(said(await other.call('tools__restore_path', { id }))).toContain('Nothing was deleted');
  expect(said(await claude.call('tools__restore_path', { id }))).toContain('restored: README.md');
});

describe('a grant of a local client', () => {
  const COMMAND = { command: 'echo granted' };

  it('holds for its client in its project, and the lists say so', async () => {
    const { at, api, web, env, serve, rest, waiting, decide, runsUnasked } = await open();
    const codex = await serve(api, 'codex');
    const first = codex.call('Bash', COMMAND);
    const asked = await waiting();
    expect(asked).toMatchObject({
      teamId: 'api',
      folder: api,
      client: 'codex',
      holder: 'codex in api',
      agentId: 'codex',
    });
    expect(runHoldfast(env, ['approvals', 'list']).out).toContain('api');
    const shown = runHoldfast(env, ['approvals', 'show', asked.id]).out;
    expect(shown).toContain(`folder  ${api}`);
    expect(shown).toContain('for codex in api');
    await decide(asked.id, 'allow_always', { covers: 'exact' });
    await first;
    const { grants } = await rest('GET', '/grants');
    expect(grants).toMatchObject([{ holder: 'codex in api', teamId: 'api', folder: api, wider: [] }]);
    expect(runHoldfast(env, ['grants']).out).toContain('codex in api');
    const { audit } = await rest('GET', '/audit?teamId=api&phase=all');
    expect(audit.length).toBeGreaterThanOrEqual(3);
    for (const row of audit) expect(row).toMatchObject({ teamId: 'api', folder: api });
    // Another session of the same client in the same project shares it, in a worktree as well.
    git(api, 'worktree', 'add', '-q', join(at, 'tree'));
    for (const folder of [api, join(at, 'tree')])
      expect(await runsUnasked(await serve(folder, 'codex'), 'Bash', COMMAND), folder).toBe(true);
    // Nobody else does.
    for (const [folder, client, args] of [
      [api, 'claude-code', []],
      [web, 'codex', []],
      [web, 'codex', ['--team', 'api']],
      [at, 'codex', ['--team', 'api']],
    ] as const)
      expect(
        await runsUnasked(await serve(folder, client, args), 'Bash', COMMAND),
        `${client} ${folder}`,
      ).toBe(false);
    expect((await rest('GET', '/grants')).grants[0].uses).toBe(3);
  });

  it('of a tool that works in no folder is of that client and project as well', async () => {
    const rule = 'version: 1\nrules:\n  - { tool: note, decide: ask }\n';
    const { api, web, serve, waiting, decide, runsUnasked } = await open({ policy: rule });
    const codex = await serve(api, 'codex');
    const first = codex.call('tools__note', { note: 'x' });
    await decide((await waiting()).id, 'allow_always', { covers: 'exact' });
    await first;
    expect(await runsUnasked(codex, 'tools__note', { note: 'x' })).toBe(true);
    expect(await runsUnasked(await serve(web, 'codex'), 'tools__note', { note: 'x' })).toBe(false);
    expect(await runsUnasked(await serve(api), 'tools__note', { note: 'x' })).toBe(false);
  });

  it('is wider where a person says so by name', async () => {
    const { api, web, serve, rest, waiting, decide, runsUnasked } = await open();
    const allow = async (command: string, wider: readonly string[]) => {
      const calling = (await serve(api, 'codex')).call('Bash', { command });
      await decide((await waiting()).id, 'allow_always', { covers: 'exact', wider });
      await calling;
    };
    await allow('echo clients', ['every_client']);
    await allow('echo projects', ['every_project']);
    await allow('echo all', ['every_client', 'every_project']);
    const [claudeInApi, codexInWeb, claudeInWeb] = [
      await serve(api),
      await serve(web, 'codex'),
      await serve(web),
    ];
    const runs = async (word: string) => [
      await runsUnasked(claudeInApi, 'Bash', { command: `echo ${word}` }),
      await runsUnasked(codexInWeb, 'Bash', { command: `echo ${word}` }),
      await runsUnasked(claudeInWeb, 'Bash', { command: `echo ${word}` }),
    ];
    expect(await runs('clients')).toEqual([true, false, false]);
    expect(await runs('projects')).toEqual([false, true, false]);
    expect(await runs('all')).toEqual([true, true, true]);
    expect((await rest('GET', '/grants')).grants.map(({ holder }: { holder: string }) => holder)).toEqual([
      'every client here in every project',
      'codex in every project',
      'every client here in api',
    ]);
  });

  it('an answer for once is spent by whoever asked, and by no other client or project', async () => {
    const rule = 'version: 1\nrules:\n  - { tool: note, decide: ask }\n';
    const { api, web, serve, waiting, decide, runsUnasked, rest } = await open({
      policy: rule,
      env: { HOLDFAST_APPROVAL_WAIT: '1s' },
    });
    const codex = await serve(api, 'codex');
    const calling = codex.call('tools__note', { note: 'once' });
    const { id } = await waiting();
    // It has given up before anybody answers.
    await calling;
    await decide(id, 'allow_once');
    expect(await runsUnasked(await serve(api), 'tools__note', { note: 'once' })).toBe(false);
    expect(await runsUnasked(await serve(web, 'codex'), 'tools__note', { note: 'once' })).toBe(false);
    expect((await rest('GET', `/approvals/${id}`)).approval.isRedeemed).toBe(false);
    expect(await runsUnasked(await serve(api, 'codex'), 'tools__note', { note: 'once' })).toBe(true);
  });
});
