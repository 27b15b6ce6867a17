import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createHub } from '../../src/app.ts';
import { runCli } from '../../src/cli/program.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { openTestHub } from '../fixtures/hub.ts';

/** A person's home with a settings file of each client, as such files look. */
const SAMPLES: Readonly<Record<string, Readonly<{ file: string; text: string; keys: readonly string[] }>>> = {
  'claude-code': {
    file: '.claude.json',
    text: '{\n  "numStartups": 41,\n  "mcpServers": {\n    "github": {\n      "type": "http",\n      "url": "https://api.example/mcp",\n      "headers": { "Authorization": "Bearer ghp_0123456789abcdefghij" }\n    }\n  },\n  "projects": {}\n}\n',
    keys: ['mcpServers'],
  },
  codex: {
    file: '.codex/config.toml',
    text: 'model = "o5"\n\n[mcp_servers.docs]\ncommand = "npx"\nargs = ["docs"]\n',
    keys: [],
  },
  gemini: {
    file: '.gemini/settings.json',
    text: '{\n  "security": { "auth": { "selectedType": "oauth" } }\n}',
    keys: ['mcpServers'],
  },
  opencode: {
    file: '.config/opencode/opencode.json',
    text: '{\n\t"$schema": "https://opencode.ai/config.json",\n\t"mcp": {}\n}\n',
    keys: ['mcp'],
  },
  openclaw: {
    file: '.openclaw/openclaw.json',
    text: "{\n  // my gateway\n  gateway: { port: 18789, },\n  mcp: { servers: { docs: { command: 'npx' } } },\n}\n",
    keys: [],
  },
  cursor: { file: '.cursor/mcp.json', text: '{"mcpServers":{"x":{"command":"y"}}}', keys: ['mcpServers'] },
  vscode: {
    file: '.config/Code/User/mcp.json',
    text: '{\n    "inputs": [],\n    "servers": {\n        // none yet\n    }\n}\n',
    keys: [],
  },
};

function person() {
  const [home, hub, work] = [freshFolder(), freshFolder(), freshFolder()];
  const env = { HOME: home, HOLDFAST_HOME: hub, HOLDFAST_LOG: 'silent' };
  const stop = new AbortController();
  const said: string[] = [];
  const run = async (...args: string[]) => {
    said.length = 0;
    const code = await runCli(args, {
      env,
      cwd: work,
      stdin: process.stdin,
      print: (line) => said.push(line),
      tell: (line) => said.push(line),
      columns: undefined,
      self: [],
      createHub: (config, mode) => createHub(config, mode),
      serveStdio: () => Promise.reject(new Error('not here')),
      interrupted: stop.signal,
    });
    return { code, out: said.join('\n') };
  };
  const put = (file: string, text: string) => {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), text, { mode: 0o640 });
  };
  const read = (file: string) => readFileSync(join(home, file), 'utf8');
  return { home, hub, work, run, said, put, read, stop };
}

describe.each(Object.entries(SAMPLES))('%s', (client, { file, text, keys }) => {
  it('is connected and disconnected without a trace', async () => {
    const { run, put, read, home, hub } = person();
    put(file, text);
    const { code, out } = await run('connect', client);
    expect(code, out).toBe(0);
    expect(out).toContain(`--- ${join(home, file)}`);
    expect(out).toMatch(/^\+.*holdfast/m);
    expect(out).not.toContain('ghp_0123456789');
    expect(read(file)).toContain('holdfast');
    expect(read(file)).toContain(join(hub, 'holdfast.db'));
    expect(statSync(join(home, file)).mode & 0o777).toBe(0o640);
    if (keys.length > 0) expect(JSON.parse(read(file))[keys[0]!].holdfast).toBeDefined();
    const [backup] = readdirSync(join(hub, 'backups'));
    expect(readFileSync(join(hub, 'backups', backup!), 'utf8')).toBe(text);
    expect((await run('disconnect', client)).code).toBe(0);
    expect(read(file)).toBe(text);
  });

  it('is connected twice with one change', async () => {
    const { run, put, read } = person();
    put(file, text);
    await run('connect', client, '--server', 'tasks');
    const once = read(file);
    expect((await run('connect', client, '--server', 'tasks')).out).toContain(
      `${client} already has clawboo-tasks`,
    );
    expect(read(file)).toBe(once);
  });

  it('shows a dry run and changes nothing', async () => {
    const { run, put, read, hub } = person();
    put(file, text);
    const { out } = await run('connect', client, '--dry-run', '--transport', 'http', '--server', 'memory');
    expect(out).toContain('http://127.0.0.1:18790/api/mcp/memory');
    expect(read(file)).toBe(text);
    expect(readdirSync(hub)).toEqual([]);
  });

  it('starts and ends without a file when there was none', async () => {
    const { run, read, home } = person();
    await run('connect', client);
    expect(read(file)).toContain('holdfast');
    await run('disconnect', client);
    expect(readdirSync(home)).toEqual([]);
  });

  it('a folder that came with the file stays when somebody else has put something into it', async () => {
    const { run, put, home } = person();
    await run('connect', client, '--server', 'tasks');
    await run('connect', client);
    const other = join(dirname(file), 'theirs.txt');
    put(other, 'mine');
    await run('disconnect', client, '--server', 'tasks');
    await run('disconnect', client);
    expect(existsSync(join(home, file))).toBe(false);
    expect(existsSync(join(home, other))).toBe(true);
  });

  it('two servers come and go in any order, and what was added between stays', async () => {
    const { run, put, read } = person();
    put(file, text);
    await run('connect', client);
    await run('connect', client, '--server', 'tasks');
    await run('disconnect', client);
    expect(read(file)).not.toContain('"serve"');
    expect(read(file)).toContain('clawboo-tasks');
    await run('disconnect', client, '--server', 'tasks');
    expect(read(file)).toBe(text);
  });

  it('another entry after ours: a changed connection still leaves no trace of ours', async () => {
    const { run, put, read } = person();
    put(file, text);
    await run('connect', client, '--server', 'tasks');
    await run('connect', client, '--server', 'tasks', '--transport', 'http');
    expect(read(file)).toContain('/api/mcp/tasks');
    await run('disconnect', client, '--server', 'tasks');
    expect(read(file)).toBe(text);
  });
});

it('the line that takes it back names the same file and server', async () => {
  const { run } = person();
  const file = join(freshFolder(), "somebody's settings.json");
  const { out } = await run('connect', 'cursor', '--server', 'tasks', '--file', file);
  expect(out).toContain(`holdfast disconnect cursor --server tasks --file '${file.replace("'", "'\\''")}'`);
  expect((await run('disconnect', 'cursor', '--server', 'tasks', '--file', file)).code).toBe(0);
  expect(existsSync(file)).toBe(false);
});

it('a broken file is named and not touched', async () => {
  const { run, put, read } = person();
  put('.claude.json', '{ "mcpServers": { ');
  const { code, out } = await run('connect', 'claude-code');
  expect(code).toBe(2);
  expect(out).toContain('.claude.json cannot be understood, line 1');
  expect(read('.claude.json')).toBe('{ "mcpServers": { ');
});

it('a file behind a link stays behind its link', async () => {
  const { run, put, read, home } = person();
  put('dotfiles/mcp.json', '{}\n');
  mkdirSync(join(home, '.cursor'));
  symlinkSync(join(home, 'dotfiles/mcp.json'), join(home, '.cursor/mcp.json'));
  await run('connect', 'cursor');
  expect(lstatSync(join(home, '.cursor/mcp.json')).isSymbolicLink()).toBe(true);
  expect(read('dotfiles/mcp.json')).toContain('holdfast');
});

it.each([
  ['connect', 'emacs'],
  ['connect', 'codex', '--server', 'nope'],
  ['connect', 'codex', '--transport', 'sse'],
  ['connect'],
])('a bad command is refused: %j', async (...args) => {
  const { run } = person();
  expect((await run(...args)).code).toBe(2);
});

it('waits live until the client joins, and not for another one', async () => {
  const { run, said, hub: home } = person();
  const hub = await openTestHub({ home });
  const connecting = run('connect', 'claude-code', '--wait', '--json');
  const arrive = (name: string) =>
    hub.rpc('/mcp', 'initialize', { clientInfo: { name, version: '1' } }, { token: hub.token });
  await expect.poll(() => said.join()).toContain('Waiting for claude-code to join');
  await arrive('cursor');
  await arrive('claude-code');
  const { code, out } = await connecting;
  expect(code).toBe(0);
  // The feed is in order: a watch that took the first for its client would name it.
  expect(JSON.parse(out.split('\n').at(-1)!)).toMatchObject({
    client: 'claude-code',
    changed: true,
    joined: 'claude-code',
  });
});

/** The entry of the hub in a settings file of Claude Code. */
const entryOf = (text: string) =>
  JSON.parse(text).mcpServers.holdfast as { command: string; args: string[]; env: object; url: string };

it('writes an entry that finds name and project when it runs, and fixes what is given', async () => {
  const { run, read } = person();
  await run('connect', 'claude-code', '--server', 'tasks');
  expect(JSON.parse(read('.claude.json')).mcpServers['clawboo-tasks'].args).toEqual([
    expect.stringMatching(/clawboo-mcp-tasks\.js$/),
    '--here',
  ]);
  await run('connect', 'claude-code');
  expect(entryOf(read('.claude.json')).args).toEqual([expect.stringMatching(/holdfast\.js$/), 'serve']);
  await run('connect', 'claude-code', '--agent', 'ada', '--team', 'red', '--profile', 'lean', '--yes');
  const fixed = ['--profile', 'lean', '--agent', 'ada', '--team', 'red'];
  expect(entryOf(read('.claude.json')).args.slice(1)).toEqual(['serve', ...fixed]);
  await run('connect', 'claude-code', '--http', '--agent', 'ada', '--team', 'red', '--profile', 'lean');
  expect(entryOf(read('.claude.json')).url).toBe(
    'http://127.0.0.1:18790/mcp?defaultTeamId=red&scopeAgentId=ada&profile=lean',
  );
  expect((await run('connect', 'claude-code', '--agent', 'a\u0007b')).code).toBe(2);
});

it.each(Object.keys(SAMPLES))('puts no path of this machine into a file of a project: %s', async (client) => {
  const { run, work, home, hub } = person();
  for (const args of [[], ['--server', 'tasks'], ['--server', 'brain', '--agent', 'ada']]) {
    const { code, out } = await run('connect', client, '--project', ...args);
    expect(code, out).toBe(0);
  }
  const written = readdirSync(work, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(written).toHaveLength(1);
  const text = readFileSync(join(written[0]!.parentPath, written[0]!.name), 'utf8');
  expect(text).toMatch(/"holdfast"/);
  for (const path of [work, home, hub, process.execPath, process.cwd(), 'dist'])
    expect(text).not.toContain(path);
});

it('a file that is named and lies in a repository goes to others, too', async () => {
  const { run, work } = person();
  mkdirSync(join(work, '.git'));
  await run('connect', 'claude-code', '--file', 'sub/.mcp.json');
  expect(entryOf(readFileSync(join(work, 'sub', '.mcp.json'), 'utf8'))).toMatchObject({
    command: 'holdfast',
    args: ['serve'],
    env: {},
  });
});

it('one’s own settings name this machine, even when the home is a repository', async () => {
  const { run, home, read } = person();
  mkdirSync(join(home, '.git'));
  await run('connect', 'claude-code');
  expect(entryOf(read('.claude.json')).command).toBe(process.execPath);
});

it.each([
  ['\n', true],
  ['yes\n', true],
  ['n\n', false],
  ['', false],
])('asks the person at a terminal, who answers %j', async (answer, isMade) => {
  const [home, hub] = [freshFolder(), freshFolder()];
  const said: string[] = [];
  const code = await runCli(['connect', 'claude-code', '--no-wait'], {
    env: { HOME: home, HOLDFAST_HOME: hub },
    cwd: home,
    stdin: Readable.from([answer]),
    print: (line) => said.push(line),
    tell: (line) => said.push(line),
    columns: 100,
    self: [],
    createHub,
    serveStdio: () => Promise.reject(new Error('not here')),
    interrupted: new AbortController().signal,
  });
  expect(code).toBe(0);
  expect(said.join('\n')).toContain('Make this change? [Y/n]');
  expect(existsSync(join(home, '.claude.json'))).toBe(isMade);
});

describe('sessions:read', () => {
  const SAYS = 'it may look up those of the repository it works in (sessions:read), and no others';

  it('is granted and shown where sessions are kept, over the socket that proves the place, and nowhere else', async () => {
    const { run, hub } = person();
    const grants = async (...args: string[]) =>
      JSON.parse((await run('connect', 'claude-code', '--dry-run', '--json', ...args)).out).grants;
    expect(await grants()).toEqual([]);
    expect((await run('connect', 'claude-code', '--dry-run')).out).not.toContain('sessions:read');
    writeFileSync(join(hub, 'config.yaml'), 'sessions: { from: [claude-code] }\n');
    expect((await run('connect', 'claude-code', '--dry-run')).out).toContain(SAYS);
    expect(await grants()).toEqual(['sessions:read']);
    expect(await grants('--server', 'tasks')).toEqual([]);
    expect(await grants('--http')).toEqual([]);
  });
});
