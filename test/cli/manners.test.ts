import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { builtBin } from '../fixtures/built.ts';
import { freshHome, runHoldfast, startHub } from '../fixtures/hub-process.ts';
import { openTerminal } from '../fixtures/terminal.ts';

describe('manners of the terminal', () => {
  it('a reader that leaves early hears and causes nothing', async () => {
    const env = freshHome();
    await startHub(env);
    for (let i = 0; i < 60; i += 1)
      await openTerminal(undefined, env).run('board', 'add', `${'a long title '.repeat(30)}${i}`);
    const child = spawn(process.execPath, [builtBin('holdfast'), 'board', 'list', '--json'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    let complaints = '';
    child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect([code, complaints]).toEqual([0, '']);
  });

  it('a watcher ends with its reader', async () => {
    const env = freshHome();
    await startHub(env);
    const child = spawn(process.execPath, [builtBin('holdfast'), 'board', 'watch', '--since', '0'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { run } = openTerminal(undefined, env);
    await run('board', 'add', 'one');
    await once(child.stdout, 'data');
    child.stdout.destroy();
    const closed = once(child, 'close') as Promise<[number]>;
    await run('board', 'add', 'two');
    expect((await closed)[0]).toBe(0);
  });

  it.each([
    [['board', 'fly', '--json'], 'unknown command'],
    [['board', 'claim', '--json'], "required option '--as <agent>' not specified"],
    [['board', 'list', '--wings', '--json'], "unknown option '--wings'"],
    [['fly', '--json'], 'unknown command'],
    [['--json', 'fly'], 'unknown command'],
    [['board', 'list', '--color=blue', '--json'], '--color must be'],
  ])('%j is refused in JSON, and with nothing else', async (args, message) => {
    const { code, out, err } = await openTerminal().run(...args);
    expect([code, err]).toEqual([2, '']);
    expect(JSON.parse(out)).toMatchObject({ code: 'invalid', error: expect.stringContaining(message) });
  });

  it('colours only where it is asked to, and never a pipe by itself', () => {
    const env = freshHome();
    expect(runHoldfast(env, ['stand']).out).not.toContain('\u001b');
    expect(runHoldfast(env, ['stand', '--color=always']).out).toContain('\u001b[33mnot running\u001b[0m');
    expect(runHoldfast({ ...env, FORCE_COLOR: '1', NO_COLOR: '1' }, ['stand']).out).not.toContain('\u001b');
  });

  it.each([
    'board',
    'memory',
    'brain',
    'chat',
    'project',
    'peer',
    'token',
    'approvals',
    'grants',
    'policy',
    'audit',
    'source',
    'being',
    'runs',
    'hooks',
    'keys',
  ])('`holdfast %s` without a verb shows what there is', async (noun) => {
    expect(await openTerminal().run(noun)).toMatchObject({ code: 0 });
  });

  it('shows what is longer than the screen in the pager, and nothing else', async () => {
    const env = freshHome({ HOLDFAST_PAGER: 'sed s/^/paged:/', TERM: 'xterm' });
    const { run } = openTerminal(undefined, env);
    for (let i = 0; i < 30; i += 1) await run('board', 'add', `task ${i}`);
    const line = (...args: string[]) => [process.execPath, builtBin('holdfast'), ...args].join(' ');
    const onScreen = (rows: number, ...args: string[]) => {
      const words = ['-qec', `stty rows ${rows} cols 100; ${line(...args)}`, '/dev/null'];
      return spawnSync('script', words, { env, encoding: 'utf8' }).stdout;
    };
    expect(onScreen(20, 'board')).toMatch(/^paged:.*task 29/m);
    expect(onScreen(60, 'board')).not.toContain('paged:');
    expect(onScreen(20, 'board', '--no-pager')).not.toContain('paged:');
    expect(onScreen(20, 'board', '--json')).not.toContain('paged:');
    Object.assign(env, { HOLDFAST_PAGER: 'no-such-pager-here' });
    expect(onScreen(20, 'board')).toContain('task 29');
  });

  it('says where one stands and what to do next, and makes no database by looking', async () => {
    const terminal = openTerminal();
    const before = await terminal.run();
    expect(before.out).toContain('hub       not running');
    expect(before.out).toContain('Next: holdfast up');
    expect(existsSync(`${terminal.env['HOLDFAST_HOME']}/holdfast.db`)).toBe(false);
    const { address } = await startHub(terminal.env);
    expect((await terminal.run()).out).toContain(`up at ${address}`);
    expect(await terminal.json<object>('stand')).toMatchObject({
      hub: address,
      board: { open: 0 },
      approvals: 0,
      next: { command: 'holdfast setup' },
    });
  });

  it('names things by the end of their id', async () => {
    const { run, json } = openTerminal();
    const { id } = await json<{ id: string }>('token', 'create', '--agent', 'ada');
    expect((await run('token', 'revoke', id.slice(-8))).out).toBe(`Token ${id} of ada is revoked.`);
    const { fact } = await json<{ fact: { id: string } }>('memory', 'save', 'Keel', 'It is oak.');
    expect((await run('memory')).out).toContain(`${fact.id.slice(-8)}  `);
    expect((await run('memory', 'show', fact.id.slice(-8))).out).toContain('It is oak.');
    expect((await run('memory', 'forget', fact.id.slice(-8), '--yes')).out).toContain(fact.id.slice(-8));
  });
});
