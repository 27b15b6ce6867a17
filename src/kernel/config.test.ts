import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { resolveConfig } from './config.ts';

const home = mkdtempSync(join(tmpdir(), 'holdfast-config-'));
const file = join(home, 'config.yaml');
const configure = (yaml: string) => writeFileSync(file, yaml);

beforeEach(() => rmSync(file, { force: true }));
afterAll(() => rmSync(home, { recursive: true }));

describe('precedence', () => {
  it('is flag, HOLDFAST_*, contract variable, config.yaml, default', async () => {
    const portOf = async (flags: Record<string, string>, env: Record<string, string>) =>
      (await resolveConfig({ flags, env, home })).ports;
    configure('port: 4000');
    const env = { HOLDFAST_PORT: '2000', CLAWBOO_API_PORT: '3000' };
    expect(await portOf({ '--port': '1000' }, env)).toEqual([1000]);
    expect(await portOf({}, env)).toEqual([2000]);
    expect(await portOf({}, { CLAWBOO_API_PORT: '3000' })).toEqual([3000]);
    expect(await portOf({}, {})).toEqual([4000]);
    rmSync(file);
    expect((await portOf({}, {}))[0]).toBe(18790);
  });

  it('lets only the default port move on, up to 18809', async () => {
    const { ports } = await resolveConfig({ env: {}, home });
    expect(ports).toHaveLength(20);
    expect(ports.at(-1)).toBe(18809);
    expect((await resolveConfig({ env: { CLAWBOO_API_PORT: '18790' }, home })).ports).toEqual([18790]);
  });

  it('takes an empty variable for an unset one', async () => {
    expect((await resolveConfig({ env: { HOLDFAST_HOST: '', HOLDFAST_HOME: '' }, home })).host).toBe(
      '127.0.0.1',
    );
  });
});

describe('database', () => {
  const databaseOf = async (env: Record<string, string>) => (await resolveConfig({ env, home })).database;

  it('is CLAWBOO_DB_PATH, else HOLDFAST_DATABASE_URL, else a file in the home', async () => {
    const url = 'postgres://me:secret@db.example/holdfast';
    expect(await databaseOf({ CLAWBOO_DB_PATH: '/data/board.db', HOLDFAST_DATABASE_URL: url })).toBe(
      '/data/board.db',
    );
    expect(await databaseOf({ HOLDFAST_DATABASE_URL: url })).toBe(url);
    expect(await databaseOf({})).toBe(join(home, 'holdfast.db'));
  });

  it('expands ~/ and makes relative paths absolute', async () => {
    expect(await databaseOf({ CLAWBOO_DB_PATH: '~/board.db' })).toBe(join(homedir(), 'board.db'));
    expect(await databaseOf({ CLAWBOO_DB_PATH: 'board.db' })).toBe(join(process.cwd(), 'board.db'));
  });

  it('refuses other schemes without repeating the URL', async () => {
    const refusal = databaseOf({ HOLDFAST_DATABASE_URL: 'mysql://me:secret@db/holdfast' });
    await expect(refusal).rejects.toThrow('mysql:// is neither');
    await expect(refusal).rejects.not.toThrow('secret');
  });
});

describe('a bad value', () => {
  it.each([
    [
      { '--port': 'abc' },
      {},
      '--port must be a whole number from 0 to 65535 (0 takes any free port); got "abc".',
    ],
    [{}, { CLAWBOO_API_PORT: '70000' }, 'CLAWBOO_API_PORT must be'],
    [{}, { HOLDFAST_LEASE: '30 minutes' }, 'HOLDFAST_LEASE must be a duration such as 90s, 30m or 2h'],
    [{}, { HOLDFAST_LOG: 'loud' }, 'HOLDFAST_LOG must be debug, info, warn, error or silent'],
    [{}, { HOLDFAST_ALLOW_HOST: 'https://hub.example' }, 'HOLDFAST_ALLOW_HOST must be host names'],
    [
      {},
      { HOLDFAST_LIMIT_DEPTH: '-1' },
      'HOLDFAST_LIMIT_DEPTH must be a whole number of levels of parts (0 switches the limit off)',
    ],
  ])('names its source: %j %j', async (flags, env, message) => {
    await expect(resolveConfig({ flags, env, home })).rejects.toThrow(message);
  });

  it('in config.yaml names the key', async () => {
    configure('limits:\n  depth: deep\n');
    await expect(resolveConfig({ env: {}, home })).rejects.toThrow('limits.depth in config.yaml must be');
  });

  it('is an unknown key, a broken file or an unreadable one', async () => {
    configure('prot: 18790');
    await expect(resolveConfig({ env: {}, home })).rejects.toThrow(
      /unknown key prot\. Known: database, host, port/,
    );
    configure('port: [1');
    await expect(resolveConfig({ env: {}, home })).rejects.toThrow('is not valid YAML');
    await expect(resolveConfig({ env: {}, home: file })).rejects.toThrow(
      'cannot be read (ENOTDIR: a part of the path is no folder)',
    );
  });
});

describe('agents', () => {
  const agentsOf = async (yaml: string) => {
    configure(yaml);
    return (await resolveConfig({ env: {}, home })).agents;
  };

  it('are read with their defaults', async () => {
    const { mine } = await agentsOf(
      'agents:\n  mine: { family: command, command: [node, x.mjs, "{prompt}"], limits: { minutes: 5, output: 2MB } }\n',
    );
    expect(mine).toMatchObject({
      family: 'command',
      command: ['node', 'x.mjs', '{prompt}'],
      mode: 'safe',
      lane: 'auto',
      enabled: true,
    });
    expect(mine!.limits).toMatchObject({ minutes: 5, output: 2 * 1024 * 1024, concurrent: 4 });
  });

  it.each([
    ['agents: { a: { family: nonsense } }', 'agents.a.family in config.yaml must be one of claude'],
    ['agents: { a: { family: command } }', 'agents.a.command in config.yaml must be'],
    [
      'agents: { a: { family: claude, mode: yolo } }',
      'agents.a.mode in config.yaml must be one of safe, edit, full',
    ],
    ['agents: { a: { family: claude, limits: { minutes: soon } } }', 'agents.a.limits.minutes'],
    ['agents: { a: { family: claude, color: red } }', 'unknown key agents.a.color'],
    ['agents: { "a b": { family: claude } }', 'named by a short word'],
    ['agents: [claude]', 'agents in config.yaml must be a block'],
  ])('%s', async (yaml, message) => {
    await expect(agentsOf(yaml)).rejects.toThrow(message);
  });
});

describe('projects', () => {
  const projectsOf = async (yaml: string) => {
    configure(yaml);
    return (await resolveConfig({ env: {}, home })).projects;
  };

  it('have limits of their own', async () => {
    expect(
      await projectsOf(
        'projects:\n  web: { limits: { concurrent: 2, dollars: 5 } }\n  "*": { limits: { rate: 9 } }\n',
      ),
    ).toEqual({
      web: { concurrent: 2, rate: 0, dollars: 5, turns: undefined },
      '*': { concurrent: 0, rate: 9, dollars: undefined, turns: undefined },
    });
  });

  it.each([
    ['projects: { web: { limits: { dollars: -1 } } }', 'projects.web.limits.dollars in config.yaml must be'],
    ['projects: { web: { limits: { minutes: 5 } } }', 'unknown key projects.web.limits.minutes'],
    ['projects: { web: { color: red } }', 'unknown key projects.web.color'],
    ['projects: { web: { } }', 'projects.web.limits in config.yaml must be a block'],
  ])('%s', async (yaml, message) => {
    await expect(projectsOf(yaml)).rejects.toThrow(message);
  });
});

it('reads every kind of value from config.yaml', async () => {
  configure(
    'host: 0.0.0.0\nallow-host: [Hub.example, "box:8080"]\nlease: 2h\nlog: warn\nlimits: { root-tasks: 0, posts: 10 }\n',
  );
  expect(await resolveConfig({ env: {}, home })).toMatchObject({
    host: '0.0.0.0',
    allowHosts: ['hub.example', 'box:8080'],
    leaseMs: 7_200_000,
    logLevel: 'warn',
    limits: { rootTasks: 0, children: 1000, depth: 8, posts: 10 },
  });
});
