import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import type { Finding } from '../../src/cli/doctor/finding.ts';
import { takeHubLock } from '../../src/store/dialects/sqlite/hub-lock.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { fakeSystemctl } from '../fixtures/systemctl.ts';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { openTerminal, type Terminal } from '../fixtures/terminal.ts';

const examine = async (terminal: Terminal) => {
  const { findings } = await terminal.json<{ findings: Finding[] }>('doctor');
  return Object.fromEntries(findings.map((finding) => [finding.check, finding]));
};

it('finds a machine well before the first start, and leaves no trace', async () => {
  const terminal = openTerminal(undefined, freshHome({ HOLDFAST_PORT: '0', HOME: freshFolder() }));
  expect((await terminal.run('doctor')).code).toBe(0);
  const { sandbox, ...others } = await examine(terminal);
  expect(Object.values(others).map(({ state }) => state)).toEqual(Object.values(others).map(() => 'ok'));
  expect(sandbox!.state).not.toBe('fail');
  expect(readdirSync(terminal.env['HOLDFAST_HOME']!)).toEqual([]);
});

it('row 12: says when a command can read the environment of the hub, and when none can run', async () => {
  const without = freshHome({ HOLDFAST_PORT: '0', PATH: '/nowhere' });
  const warned = (await examine(openTerminal(undefined, without)))['sandbox']!;
  expect(warned).toMatchObject({
    state: 'warn',
    found: expect.stringContaining("can read the hub's environment"),
  });
  const strict = { ...without, HOLDFAST_SANDBOX: 'bwrap' };
  expect((await examine(openTerminal(undefined, strict)))['sandbox']).toMatchObject({
    state: 'fail',
    mend: expect.stringContaining('bubblewrap'),
  });
  const bin = mkdtempSync(join(tmpdir(), 'holdfast-bwrap-'));
  onTestFinished(() => rmSync(bin, { recursive: true }));
  writeFileSync(join(bin, 'bwrap'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  expect((await examine(openTerminal(undefined, { ...without, PATH: bin })))['sandbox']).toMatchObject({
    state: 'ok',
  });
});

it('finds a hub that is up', async () => {
  const terminal = openTerminal();
  const { pid, address } = await startHub(terminal.env);
  expect(await examine(terminal)).toMatchObject({
    database: { state: 'ok', found: expect.stringContaining('whole, schema') },
    hub: { state: 'ok', found: `process ${pid} at ${address}` },
    lock: { state: 'ok', found: 'held by the hub' },
    port: { state: 'ok', found: 'in use by the hub' },
    disk: { state: 'ok' },
  });
});

it('finds a hub that was killed', async () => {
  const terminal = openTerminal(undefined, freshHome({ HOLDFAST_PORT: '0' }));
  await (await startHub(terminal.env)).stop('SIGKILL');
  expect((await examine(terminal))['hub']).toMatchObject({
    state: 'warn',
    mend: expect.stringContaining('the next start clears it'),
  });
});

it('finds a lock that is held by a process which does not answer', async () => {
  const terminal = openTerminal(undefined, freshHome({ HOLDFAST_PORT: '0' }));
  const database = join(terminal.env['HOLDFAST_HOME']!, 'holdfast.db');
  const lock = takeHubLock(database);
  expect((await examine(terminal))['lock']).toMatchObject({
    state: 'fail',
    mend: expect.stringContaining(`fuser ${database}.lock`),
  });
  lock.release();
  expect((await examine(terminal))['lock']).toMatchObject({ state: 'ok', found: 'free' });
});

it('finds open permissions and says how to close them', async () => {
  const terminal = openTerminal(undefined, freshHome({ HOLDFAST_PORT: '0' }));
  const home = terminal.env['HOLDFAST_HOME']!;
  writeFileSync(join(home, 'signing.key'), 'f'.repeat(64));
  chmodSync(join(home, 'signing.key'), 0o644);
  expect((await examine(terminal))['home']).toMatchObject({
    state: 'warn',
    mend: `chmod 600 ${home}/signing.key`,
  });
  await terminal.run('board', 'add', 'x');
  chmodSync(join(home, 'holdfast.db'), 0o644);
  expect((await examine(terminal))['database']).toMatchObject({
    state: 'warn',
    mend: `chmod 600 ${home}/holdfast.db`,
  });
  chmodSync(home, 0o755);
  expect((await examine(terminal))['home']).toMatchObject({ state: 'warn', mend: `chmod 700 ${home}` });
});

it('finds a damaged database, and ends with exit code 1', async () => {
  const terminal = openTerminal(undefined, freshHome({ HOLDFAST_PORT: '0' }));
  writeFileSync(join(terminal.env['HOLDFAST_HOME']!, 'holdfast.db'), 'not a database at all '.repeat(20));
  const { code, out } = await terminal.run('doctor');
  expect(code).toBe(1);
  expect(out).toContain('belongs to another program');
  expect(out).toContain('Point Holdfast at a new file');
});

it('finds a taken port', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as { port: number };
  const terminal = openTerminal(undefined, freshHome({ HOLDFAST_PORT: String(port) }));
  expect((await examine(terminal))['port']).toMatchObject({
    state: 'fail',
    mend: expect.stringContaining('--port'),
  });
});

it('looks at PostgreSQL without migrating it, and finds one that is not there', async () => {
  const url = inject('postgresUrl');
  const there = openTerminal(
    undefined,
    freshHome({ HOLDFAST_PORT: '0', HOLDFAST_DATABASE_URL: url, HOLDFAST_DATABASE_SCHEMA: 'never_made' }),
  );
  expect((await examine(there))['database']).toMatchObject({
    state: 'ok',
    found: expect.stringMatching(/PostgreSQL \d+.*, empty/),
  });
  expect((await examine(there))['clients']).toMatchObject({
    state: 'warn',
    found: expect.stringContaining('holdfast.db instead'),
  });
  writeFileSync(join(there.env['HOLDFAST_HOME']!, 'config.yaml'), `database: ${url}\n`);
  expect((await examine(there))['clients']).toMatchObject({ state: 'ok' });
  const gone = openTerminal(
    undefined,
    freshHome({ HOLDFAST_PORT: '0', HOLDFAST_DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/x' }),
  );
  const { out } = await gone.run('doctor');
  expect(out).toContain('cannot be used (ECONNREFUSED)');
  expect(out).not.toContain('hunter2');
});

function personWithClients() {
  const home = freshFolder();
  const path = `${fakeSystemctl().bin}:/usr/bin:/bin`;
  const terminal = openTerminal(undefined, freshHome({ HOLDFAST_PORT: '0', HOME: home, PATH: path }));
  const read = (file: string) => readFileSync(join(home, file), 'utf8');
  return { home, terminal, read };
}

it('finds entries and hooks that lead nowhere, and --fix puts their paths right and nothing else', async () => {
  const { home, terminal, read } = personWithClients();
  const names = ['claude-code', 'codex', 'opencode'];
  await terminal.run('setup', '--yes', '--hooks', '--service', '--client', ...names);
  await terminal.run('connect', 'claude-code', '--server', 'tasks', '--agent', 'ada');
  expect(await examine(terminal)).toMatchObject({
    settings: { state: 'ok', found: 'connected: claude-code, codex, opencode' },
    hooks: { state: 'ok', found: names.join(', ') },
    service: { state: 'ok' },
  });
  const files = [
    '.claude.json',
    '.claude/settings.json',
    '.codex/config.toml',
    '.codex/hooks.json',
    '.config/opencode/plugins/holdfast.js',
    '.config/systemd/user/holdfast.service',
  ];
  const whole = Object.fromEntries(files.map((file) => [file, read(file)]));
  for (const file of files)
    writeFileSync(
      join(home, file),
      whole[file]!.replaceAll(/\/[^"' \n]*\/dist\/bin\//g, '/old/place/dist/bin/'),
    );
  const { code, out } = await terminal.run('doctor');
  expect(code).toBe(1);
  for (const file of files) expect(out).toContain(`${join(home, file)}: `);
  expect(out).toContain('leads to /old/place/dist/bin/holdfast.js, which is not there');
  const mended = await terminal.run('doctor', '--fix');
  expect(mended.code, mended.out).toBe(0);
  expect(mended.out).toMatch(/^-.*\/old\/place\/dist\/bin\/clawboo-mcp-tasks\.js/m);
  for (const file of files) expect(read(file), file).toBe(whole[file]);
  await terminal.run('uninstall', '--yes');
  await terminal.run('disconnect', 'claude-code', '--server', 'tasks');
  expect(readdirSync(home)).toEqual([]);
});

it('finds settings that cannot be understood, and a file of ours that somebody removed', async () => {
  const { home, terminal } = personWithClients();
  await terminal.run('setup', '--yes', '--client', 'cursor', 'gemini');
  rmSync(join(home, '.cursor'), { recursive: true });
  writeFileSync(join(home, '.gemini/settings.json'), '{ "mcpServers": ');
  const { code, out } = await terminal.run('doctor');
  expect(code).toBe(1);
  expect(out).toMatch(/\.gemini\/settings\.json cannot be understood, line 1/);
  expect(out).toContain(`${join(home, '.cursor/mcp.json')} is gone, with what was put there`);
  expect((await terminal.run('doctor', '--fix')).out).not.toContain('is gone, with what was put there');
});

it('--fix closes what is open to others and clears what a killed hub left', async () => {
  const terminal = openTerminal(undefined, freshHome({ HOLDFAST_PORT: '0', HOME: freshFolder() }));
  await (await startHub(terminal.env)).stop('SIGKILL');
  const home = terminal.env['HOLDFAST_HOME']!;
  chmodSync(join(home, 'holdfast.db'), 0o644);
  chmodSync(home, 0o755);
  const { fixed, findings } = await terminal.json<{ fixed: string[]; findings: Finding[] }>(
    'doctor',
    '--fix',
  );
  expect(fixed).toEqual([
    `chmod 700 ${home}`,
    `chmod 600 ${home}/holdfast.db`,
    expect.stringContaining('.hub.json'),
  ]);
  expect(findings.filter(({ check, state }) => check !== 'sandbox' && state !== 'ok')).toEqual([]);
  expect(statSync(join(home, 'holdfast.db')).mode & 0o777).toBe(0o600);
});
