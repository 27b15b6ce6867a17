import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { runHoldfast, freshHome, startHub } from '../fixtures/hub-process.ts';
import { openTerminal } from '../fixtures/terminal.ts';

it('makes a Being, with everything one needs to attach to it', async () => {
  const { run, json } = openTerminal();
  const { out, code } = await run('being', 'create', 'Luna');
  expect(code).toBe(0);
  expect(out).toMatch(
    /^id {5}[0-9a-f-]{36}\ntoken {2}brt_[\w-]{43}\nurl {4}http:\/\/127\.0\.0\.1:\d+\/mcp\/[0-9a-f-]{36}\n/,
  );
  expect(out).toContain('"mcpServers"');
  expect(out).toContain('claude mcp add --transport http luna');
  const made = await json<{ id: string; token: string }>('being', 'create', 'Sol', '--owner', 'ada');
  expect(made).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    token: expect.stringMatching(/^brt_/),
    owner: 'ada',
  });
  expect((await json<{ token: string }>('being', 'token', made.id, '--scope', 'read-only')).token).toMatch(
    /^brt_/,
  );
  expect((await run('being', 'token', 'Sol', '--scope', 'everything')).code).toBe(2);
  expect((await run('being', 'create', 'LUNA')).code).toBe(4);
  expect((await run('being', 'list')).out).toMatch(/Luna[\s\S]*Sol|Sol[\s\S]*Luna/);
  expect((await run('being', 'show', 'Luna')).out).toContain('0 active, 0 fading, 0 at rest');
  expect((await run('being', 'show', 'Nobody')).code).toBe(3);
});

it('patrols, recalls, exports and imports; what comes back is the same', async () => {
  const { run, json } = openTerminal();
  const { id } = await json<{ id: string }>('being', 'create', 'Luna');
  const folder = freshFolder();
  const file = join(folder, 'luna.jsonl');
  await run('being', 'export', id, file);
  const [own] = readFileSync(file, 'utf8').split('\n');
  expect(JSON.parse(own!)).toMatchObject({ kind: 'being', id, name: 'Luna' });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const note = {
    kind: 'note',
    id: '01a89c1e-0000-7000-8000-000000000001',
    type: 'scene',
    state: 'open',
    createdAt: 1,
    updatedAt: 1,
  };
  const scene = JSON.stringify({ action: 'Painted the fence green', actors: ['Mika'], when: ['2026-04-14'] });
  writeFileSync(file, `${readFileSync(file, 'utf8')}${JSON.stringify({ ...note, content: scene })}\n`);
  expect((await run('being', 'import', file)).code).toBe(4);
  expect((await run('being', 'delete', id)).code).toBe(2);
  expect((await run('being', 'delete', id, '--yes')).code).toBe(0);
  expect((await run('being', 'import', file)).code).toBe(0);
  expect((await run('being', 'patrol', id, '--dry-run')).out).toContain('would make 1 memories');
  expect((await run('being', 'patrol', id)).out).toContain('made 1 memories');
  expect((await run('being', 'recall', 'luna', 'what', 'about', 'the', 'fence')).out).toContain(
    'Painted the fence green',
  );
  const [first, second] = [join(folder, '1.jsonl'), join(folder, '2.jsonl')];
  await run('being', 'export', id, first);
  await run('being', 'delete', id, '--yes');
  await run('being', 'import', first);
  await run('being', 'export', id, second);
  expect(readFileSync(second, 'utf8')).toBe(readFileSync(first, 'utf8'));
  expect((await run('being', 'export', id, second)).code).toBe(4);
  writeFileSync(file, '{"kind":"being"');
  expect(await run('being', 'import', file)).toMatchObject({
    code: 2,
    err: expect.stringContaining('Line 1'),
  });
});

it('keeps a key that nobody gets to see again', () => {
  const env = freshHome();
  const { id } = JSON.parse(runHoldfast(env, ['being', 'create', 'Luna', '--json']).out) as { id: string };
  const key = 'sk-a-very-secret-key-1234';
  expect(runHoldfast(env, ['being', 'key', id], `${key}\n`)).toMatchObject({
    code: 0,
    out: 'The key is kept, sealed.\n',
  });
  expect(runHoldfast(env, ['being', 'show', id]).out).toContain('has a key');
  expect(runHoldfast(env, ['being', 'export', id, '-']).out).not.toContain(key);
  const home = env['HOLDFAST_HOME']!;
  expect(readFileSync(join(home, 'holdfast.db'), 'latin1')).not.toContain(key);
  expect(statSync(join(home, 'secrets.key')).mode & 0o777).toBe(0o600);
  expect(runHoldfast(env, ['being', 'key', id, '--remove']).code).toBe(0);
});

it('open: a link that signs one browser in, once', async () => {
  const env = freshHome();
  expect(runHoldfast(env, ['open'])).toMatchObject({
    code: 3,
    err: expect.stringContaining('No hub is running'),
  });
  const hub = await startHub(env);
  const { url } = JSON.parse(runHoldfast(env, ['open', '--json']).out) as { url: string };
  expect(url.startsWith(`${hub.address}/signin?link=`)).toBe(true);
  const response = await fetch(url);
  expect([response.status, response.headers.get('set-cookie')]).toEqual([
    200,
    expect.stringContaining('SameSite=Strict'),
  ]);
  // One is led on to the page.
  expect(await response.text()).toMatch(/<meta http-equiv="refresh" content="0;\s*url=\/"/i);
  expect((await fetch(url)).status).toBe(401);
  const at = hub.address.replace('127.0.0.1', 'localhost');
  expect(runHoldfast(env, ['open', '--at', at]).out).toContain(`${at}/signin`);
  expect(runHoldfast(env, ['open', '--at', 'nonsense']).code).toBe(2);
  expect(existsSync(join(env['HOLDFAST_HOME']!, 'token'))).toBe(true);
});

it('says of a broken record in which line of the file it stands', async () => {
  const { run } = openTerminal();
  const id = '01890000-0000-7000-8000-000000000001';
  const times = { createdAt: 1, updatedAt: 1 };
  const being = { kind: 'being', id, owner: 'local', name: 'Luna', marker: null, ...times };
  const broken = { kind: 'run', id, state: 'done', stats: '3', steps: [] };
  const file = join(freshFolder(), 'luna.jsonl');
  writeFileSync(file, `${JSON.stringify(being)}\n\n${JSON.stringify(broken)}\n`);
  const refused = await run('being', 'import', file);
  expect([refused.code, refused.err]).toEqual([
    2,
    expect.stringContaining('line 3, stats: must be the JSON text'),
  ]);
  expect((await run('being', 'list')).out).not.toContain('Luna');
});
