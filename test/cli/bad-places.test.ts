import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { builtBin } from '../fixtures/built.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, runHoldfast } from '../fixtures/hub-process.ts';
import { openTerminal } from '../fixtures/terminal.ts';

/**
 * A disk of its own for one command, as the kernel has it: full after 4 KB, or read-only. Where a user may
 * not mount (another system, a container without namespaces), a home below a device stands for a place where
 * nothing can be made.
 */
function on(disk: 'full' | 'filling' | 'read-only') {
  const place = freshFolder();
  const home = join(place, 'home');
  mkdirSync(home);
  const mount =
    disk !== 'read-only'
      ? `mount -t tmpfs -o size=${disk === 'full' ? '4k' : '200k'} tmpfs ${place} && mkdir ${home}`
      : `mount -t tmpfs tmpfs ${place} && mkdir ${home} && mount -o remount,ro ${place}`;
  const canMount = spawnSync('unshare', ['-rm', 'sh', '-c', mount]).status === 0;
  const run = (...args: string[]) => {
    const env = freshHome({ HOME: place, HOLDFAST_HOME: canMount ? home : '/dev/null/home' });
    const words = [process.execPath, builtBin('holdfast'), ...args];
    // What is written first takes the last of the room.
    const script = `${mount} && ${disk === 'filling' ? `{ "$1" "$2" board add x; exec "$@"; }` : 'exec "$@"'}`;
    const line = canMount ? ['unshare', '-rm', 'sh', '-c', script, 'sh', ...words] : words;
    const { status, stdout, stderr } = spawnSync(line[0]!, line.slice(1), {
      env,
      encoding: 'utf8',
      timeout: 40_000,
    });
    return { code: status, said: stdout + stderr };
  };
  return { place, home, run, canMount };
}

it('a disk that fills up is one sentence for the next start as well', () => {
  const { code, said } = on('filling').run('up', '--port', '0');
  expect(code, said).toBe(6);
  expect(said).not.toMatch(/internal error|\n {4}at /);
});

describe.each(['full', 'read-only'] as const)('a home on a %s disk', (disk) => {
  it.each([
    ['up', '--port', '0'],
    ['board', 'add', 'a task'],
    ['memory', 'save', 'a', 'b'],
    ['up', '--detach', '--port', '0'],
  ])('is one sentence and not a stack: %j', (...args) => {
    const { run } = on(disk);
    const { code, said } = run(...args);
    expect(code, said).toBe(6);
    expect(said).toMatch(/cannot be (opened|created|written)|did not start/);
    expect(said).not.toMatch(/internal error|\n {4}at /);
  });

  it('setup and connect change nothing of a client, and say why', () => {
    const { run, place } = on(disk);
    for (const args of [
      ['setup', '--yes', '--client', 'claude-code', 'codex'],
      ['connect', 'claude-code', '--yes', '--no-wait'],
    ]) {
      const { code, said } = run(...args);
      expect([1, 6], said).toContain(code);
      expect(said).toMatch(/cannot be (changed|created)/);
      expect(said).not.toMatch(/internal error|\n {4}at /);
    }
    expect(readdirSync(place)).toEqual(['home']);
  });

  it('doctor finds it', () => {
    const { run, canMount } = on(disk);
    const { code, said } = run('doctor');
    if (canMount) expect(code).toBe(1);
    expect(said).toMatch(disk === 'full' && canMount ? /fail {2}disk {6}0 MB free/ : /CHECK/);
  });
});

it('a port that is taken is named, with what to do', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as { port: number };
  for (const more of [[], ['--detach']]) {
    const { code, err } = runHoldfast(freshHome(), ['up', '--port', String(port), ...more]);
    expect(code).toBe(6);
    expect(err).toContain(String(port));
    expect(err).toMatch(/--port/);
    expect(err).not.toContain('    at ');
  }
});

it.runIf(process.platform === 'linux')(
  'a home below /proc is refused in a sentence, not tried for ever',
  () => {
    const env = freshHome({ HOLDFAST_HOME: '/proc/nowhere', HOME: freshFolder() });
    for (const args of [['board', 'add', 'x'], ['up']]) {
      const line = [builtBin('holdfast'), ...args];
      const { status, stderr } = spawnSync(process.execPath, line, {
        env,
        encoding: 'utf8',
        timeout: 30_000,
      });
      expect([status, stderr]).toEqual([6, expect.stringContaining('/proc/nowhere cannot be created')]);
    }
  },
);

describe('a terminal of 40 columns', () => {
  it('gets tables that fit, or rows as lines with nothing cut', async () => {
    const { run } = openTerminal(40, freshHome({ HOME: freshFolder() }));
    await run('board', 'add', 'Write a long and careful haiku about kelp and its grip');
    await run('token', 'create', '--agent', 'ada');
    await run('peer', 'register', '--backend', 'codex', '--name', 'ada');
    for (const args of [
      ['board'],
      ['token'],
      ['peer'],
      ['doctor'],
      ['setup', '--client', 'codex'],
      ['stats'],
    ]) {
      const { out } = await run(...args);
      const lines = out.split('\n');
      const headings = lines.filter((line) => /^[A-Z]{2,}(  |$)/.test(line) && /  [A-Z]{2,}/.test(line));
      for (const heading of headings) expect(heading.length, args.join(' ')).toBeLessThanOrEqual(40);
      expect(out, args.join(' ')).not.toContain('undefined');
    }
    const { out } = await run('board');
    expect(out).toMatch(/^TITLE {2,}Write a long and careful haiku about kelp and its grip$/m);
  });
});

it('a locale without UTF-8 gets a screen of ASCII', () => {
  const env = freshHome({ LC_ALL: 'C', TERM: 'xterm', HOME: freshFolder() });
  runHoldfast(env, ['board', 'add', 'Grüße …']);
  const line = `stty cols 100; ${process.execPath} ${builtBin('holdfast')} board --color=never`;
  const { stdout } = spawnSync('script', ['-qec', line, '/dev/null'], { env, encoding: 'utf8' });
  expect(stdout).toContain('Gr\\u00fc\\u00dfe ~');
  expect(stdout).toMatch(/^[\r\n\x20-\x7e]*$/);
  expect(existsSync(join(env['HOLDFAST_HOME']!, 'holdfast.db'))).toBe(true);
});
