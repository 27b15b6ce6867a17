import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { openTerminal } from '../fixtures/terminal.ts';

it('schedules are shown to programs by the names that were agreed, and what cannot be is refused', async () => {
  const env = freshHome();
  mkdirSync(env['HOLDFAST_HOME']!, { recursive: true });
  const agents = { helper: { family: 'command', command: ['cat'] } };
  writeFileSync(`${env['HOLDFAST_HOME']}/config.yaml`, stringify({ agents }));
  await startHub(env);
  const { run, json } = openTerminal(undefined, env);
  const add = (when: string, ...more: string[]) => [
    'schedule',
    'add',
    when,
    '--tz',
    'Europe/Oslo',
    '--agent',
    'helper',
    ...more,
  ];
  const made = await json<any>(...add('every weekday 7:00', '--missed', 'all', 'triage', 'new', 'issues'));
  const agreed = {
    id: made.id,
    when: 'every weekday 7:00',
    tz: 'Europe/Oslo',
    next: expect.stringMatching(/^20\d\d-.*T0[56]:00:00\.000Z$/),
    last: null,
    paused: false,
    missed: 'all',
  };
  expect(made).toMatchObject({ ...agreed, agent: 'helper', prompt: 'triage new issues' });
  expect(await json('schedule', 'list')).toMatchObject({ schedules: [agreed] });
  expect(await json('schedule', 'pause', made.id)).toMatchObject({ id: made.id, paused: true, next: null });
  expect(await json('schedule', 'resume', made.id.slice(-8))).toMatchObject(agreed);
  expect(await json('schedule', 'change', made.id, '--when', 'every weekday 8:00')).toMatchObject({
    ...agreed,
    when: 'every weekday 8:00',
    next: expect.stringMatching(/^20\d\d-.*T0[67]:00:00\.000Z$/),
  });
  expect((await run('schedule', 'change', made.id)).code).toBe(2);
  expect(await json('schedule', 'run', made.id)).toMatchObject({ id: made.id });
  await expect
    .poll(async () => (await json<any>('schedule', 'show', made.id)).fires[0], { timeout: 15_000 })
    .toMatchObject({ state: 'started', by: 'hand', task: expect.any(String), run: expect.any(String) });
  expect(await json('schedule', 'remove', made.id)).toMatchObject({ id: made.id });
  expect(await json('schedule', 'list')).toEqual({ schedules: [] });
  for (const [when, code] of [
    ['* * * * * *', 2],
    ['every second', 2],
    ['0 0 31 2 *', 2],
    ['status:eaten', 2],
  ] as const)
    expect([when, (await run(...add(when, 'x'))).code]).toEqual([when, code]);
  expect((await run(...add('hourly', 'x'), '--agent', 'nobody')).code).toBe(3);
  expect((await run(...add('hourly', 'x'), '--missed', 'maybe')).code).toBe(2);
  for (const verb of ['show', 'pause', 'resume', 'run', 'remove'])
    expect([verb, (await run('schedule', verb, 'nope')).code]).toEqual([verb, 3]);
});
