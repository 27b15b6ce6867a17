import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtBin } from '../fixtures/built.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { startStdio } from '../fixtures/stdio-client.ts';

const titlesOf = (content: Record<string, unknown>) =>
  (content['tasks'] as { title: string }[]).map(({ title }) => title);

describe('clawboo-mcp-tasks', () => {
  it('alone serves the database itself, and ends with its client', async () => {
    const client = await startStdio(freshHome());
    await client.call('create_task', { title: 'alone' });
    expect(titlesOf((await client.call('list_tasks')).structuredContent)).toEqual(['alone']);
    expect(await client.end()).toBe(0);
  });

  it('uses the database of CLAWBOO_DB_PATH', async () => {
    const database = join(freshFolder(), 'deep', 'board.db');
    const first = await startStdio(freshHome({ CLAWBOO_DB_PATH: database }));
    await first.call('create_task', { title: 'kept' });
    await first.end();
    const second = await startStdio(freshHome({ CLAWBOO_DB_PATH: database }));
    expect(titlesOf((await second.call('list_tasks')).structuredContent)).toEqual(['kept']);
  });

  it('says in one line that it made a new database, so that a mistyped path is seen', async () => {
    const database = join(freshFolder(), 'bord.db');
    const env = freshHome({ CLAWBOO_DB_PATH: database, HOLDFAST_LOG: 'info' });
    const first = await startStdio(env);
    await first.call('list_tasks');
    await first.end();
    expect(first.stderr.trimEnd().split('\n')).toEqual([
      expect.stringContaining(`Made a new database at ${database}.`),
    ]);
    const second = await startStdio(env);
    await second.call('list_tasks');
    await second.end();
    expect(second.stderr).toBe('');
  });

  it('beside a hub answers from the hub, also with a home of its own', async () => {
    const database = join(freshFolder(), 'board.db');
    const hub = await startHub(freshHome({ CLAWBOO_DB_PATH: database }));
    const client = await startStdio(freshHome({ CLAWBOO_DB_PATH: database }));
    await client.call('create_task', { title: 'through the hub' });
    const health = (await (await fetch(`${hub.address}/api/health`)).json()) as {
      hub: string;
      eventHead: number;
    };
    expect(health.eventHead).toBeGreaterThan(0);
    expect(client.stderr).toBe('');
  });

  it('goes on when the hub dies, and returns to it when it is back', async () => {
    const env = freshHome();
    const hub = await startHub(env);
    const client = await startStdio({ ...env, HOLDFAST_LOG: 'info' });
    await client.call('create_task', { title: 'one' });
    await hub.stop('SIGKILL');
    await client.call('create_task', { title: 'two' });
    await startHub(env);
    await expect.poll(() => client.stderr, { timeout: 10_000 }).toContain('a hub has appeared');
    await client.call('create_task', { title: 'three' });
    expect(titlesOf((await client.call('list_tasks')).structuredContent)).toEqual(['one', 'two', 'three']);
  });

  it.each([
    [['--profile', 'everything'], '--profile must be default or extended; got "everything".'],
    [
      ['--nonsense'],
      'Known: --profile <default|extended>, --database <location>, --workspace <folder>, --bind <parameters of an attach URL>, --here, --agent <name>, --team <id>, --version, --help.',
    ],
  ])('refuses %j in one line', (args, message) => {
    const { status, stderr } = spawnSync(process.execPath, [builtBin('clawboo-mcp-tasks'), ...args], {
      env: freshHome(),
      encoding: 'utf8',
      input: '',
    });
    expect([status, stderr.trimEnd().split('\n')]).toEqual([1, [expect.stringContaining(message)]]);
  });

  it.each([
    ['--help', /^An MCP server on stdin and stdout.*--profile <name>.*--bind <parameters>/s],
    ['--version', /^\d+\.\d+\.\d+\n$/],
  ])('answers %s and serves nothing', (flag, answer) => {
    const env = freshHome();
    const { status, stdout } = spawnSync(process.execPath, [builtBin('clawboo-mcp-tasks'), flag], {
      env,
      encoding: 'utf8',
      input: '',
    });
    expect([status, stdout]).toEqual([0, expect.stringMatching(answer)]);
    expect(existsSync(join(env['HOLDFAST_HOME']!, 'holdfast.db'))).toBe(false);
  });

  it('refuses a database of another program in one line and leaves it alone', () => {
    const database = join(freshFolder(), 'notes.txt');
    spawnSync('sh', [
      '-c',
      `echo "not a database, but more than a hundred bytes of it: $(seq 100)" > ${database}`,
    ]);
    const before = readFileSync(database);
    const { status, stderr } = spawnSync(process.execPath, [builtBin('clawboo-mcp-tasks')], {
      env: freshHome({ CLAWBOO_DB_PATH: database }),
      encoding: 'utf8',
      input: '{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
    });
    expect([status, stderr.trimEnd().split('\n').length]).toEqual([1, 1]);
    expect(readFileSync(database).equals(before)).toBe(true);
  });
});

/** Every file that loading these loads, by its static imports. */
function loadedBy(...paths: string[]): ReadonlyMap<string, string> {
  const loaded = new Map<string, string>();
  const load = (path: string) => {
    if (loaded.has(path)) return;
    const text = readFileSync(path, 'utf8');
    loaded.set(path, text);
    for (const [, target] of text.matchAll(/(?:from|import)\s*["'](\.[^"'\s]+\.js)["']/g))
      load(join(dirname(path), target!));
  };
  paths.forEach(load);
  return loaded;
}

it('the way to a live hub loads neither database, web framework, schemas nor crypto', () => {
  const bin = builtBin('clawboo-mcp-tasks');
  const entry = readFileSync(bin, 'utf8');
  const door = join(dirname(bin), /import\(`([^`]+)`\)/.exec(entry)![1]!);
  const all = [...loadedBy(bin, door).values()].join('\n');
  expect(all.length).toBeLessThan(66_000);
  const builtins = new Set([...all.matchAll(/["'`](node:[^"'`]+)["'`]/g)].map(([, name]) => name));
  for (const heavy of ['node:crypto', 'node:http', 'node:fs/promises', 'node:child_process'])
    expect(builtins).not.toContain(heavy);
  expect(all).not.toMatch(/from\s*["'](better-sqlite3|pg)["']/);
});

it('an everyday command beside a hub loads neither schemas nor YAML, a room or a database', () => {
  const bin = builtBin('holdfast');
  const [, name] = /import\(`(\.\.\/chunks\/holdfast-main[^`]+)`\)/.exec(readFileSync(bin, 'utf8'))!;
  const main = join(dirname(bin), name!);
  const lazily = readFileSync(main, 'utf8');
  for (const command of ['board', 'search', 'memory', 'sessions', 'approvals', 'runs', 'budget', 'status']) {
    const [, chunk] = new RegExp(`import\\(.\\./(${command}-[^.]+\\.js).\\)`).exec(lazily)!;
    const all = [...loadedBy(main, join(dirname(main), chunk!)).values()].join('\n');
    expect(all, command).not.toMatch(/ZodObject|parseDocument|defineTool|from\s*["'](better-sqlite3|pg)["']/);
    expect(all.length, command).toBeLessThan(260_000);
  }
});
