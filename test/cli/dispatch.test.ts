import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { AGENT, PATIENCE } from '../fixtures/dispatch-hub.ts';
import { startHub } from '../fixtures/hub-process.ts';
import { openTerminal } from '../fixtures/terminal.ts';

function terminal() {
  const opened = openTerminal();
  const home = opened.env['HOLDFAST_HOME']!;
  mkdirSync(home, { recursive: true });
  const agents = {
    script: { family: 'command', command: [process.execPath, AGENT, '{prompt}'] },
    off: { family: 'command', command: ['true'], enabled: false },
  };
  writeFileSync(join(home, 'config.yaml'), stringify({ agents }));
  return opened;
}

it('agents says who can be called and why not', async () => {
  const { run, json } = terminal();
  const { out } = await run('agents');
  expect(out).toMatch(/script +command +exec +safe +yes/);
  expect(out).toMatch(/off +command +safe +no: It is switched off/);
  expect((await json<{ agents: unknown[] }>('agents')).agents.length).toBeGreaterThan(1);
});

it('agents install shows what it would do and does nothing', async () => {
  const { run } = terminal();
  expect(await run('agents', 'install', 'claude')).toMatchObject({
    code: 0,
    out: expect.stringContaining('claude-agent-acp@0.99.1'),
  });
  expect(await run('agents', 'install', 'gemini')).toMatchObject({ code: 2 });
});

it('send follows a run, and its exit code tells how it ended', async () => {
  const { run } = terminal();
  expect(await run('send', 'script', 'say hello\ncomplain hm')).toMatchObject({
    code: 0,
    out: 'hello',
    err: expect.stringContaining('done'),
  });
  expect(await run('send', 'script', 'say x\nexit 4')).toMatchObject({
    code: 1,
    err: expect.stringContaining('exited with code 4'),
  });
  expect(await run('send', 'script', 'say one\nsay two', '--wait')).toMatchObject({
    code: 0,
    out: 'one\ntwo',
  });
  expect(await run('send', 'nobody', 'x')).toMatchObject({ code: 3 });
  expect(await run('send', 'script', 'x', '--async')).toMatchObject({
    code: 6,
    err: expect.stringContaining('holdfast up'),
  });
  expect((await run('runs', 'list')).out).toMatch(/failed/);
});

it('Ctrl-C takes the run along', async () => {
  const { start, json } = terminal();
  const sending = start('send', 'script', 'say ready\nforever');
  await expect.poll(() => sending.lines, PATIENCE).toContain('ready');
  expect(await sending.interrupt()).toMatchObject({ code: 130 });
  const { runs } = await json<{ runs: { status: string }[] }>('runs', 'list');
  expect(runs[0]!.status).toMatch(/^(cancelled|expired)$/);
});

it('runs are shown, followed, waited for and cancelled by the end of their id', async () => {
  const { run, env, json } = terminal();
  await startHub(env);
  const { task_id: id } = await json<{ task_id: string }>(
    'send',
    'script',
    'say one\nsleep 300\nsay two',
    '--async',
  );
  const end = id.slice(-8);
  expect(await run('runs', 'tail', end)).toMatchObject({ code: 0, out: 'one\ntwo' });
  expect((await run('runs', 'show', end)).out).toContain(id);
  expect(await run('runs', 'wait', end)).toMatchObject({ code: 0, out: 'one\ntwo' });
  const { task_id: long } = await json<{ task_id: string }>('send', 'script', 'forever', '--async');
  expect(await run('runs', 'cancel', long.slice(-8))).toMatchObject({
    code: 0,
    out: expect.stringContaining('cancelled'),
  });
  expect(await run('runs', 'show', 'zzzz')).toMatchObject({
    code: 3,
    err: expect.stringContaining('runs list'),
  });
});
