import { expect, test } from 'vitest';
import { KEY } from '../../../test/fixtures/mcp-server.ts';
import { NO_ABILITIES, readAbilities } from '../protocol/abilities.ts';
import { createSessionMemory } from './memory.ts';
import { createSessions } from './sessions.ts';

const FACTS = {
  server: 'tasks',
  version: '2025-06-18',
  can: readAbilities({ elicitation: { form: {}, url: {} }, roots: {} }),
  bound: { team: 'red', agent: 'ada' },
  profile: 'extended',
  owner: 'local:local',
  client: 'curl/0',
} as const;

const DAY = 24 * 60 * 60_000;

test('a session is found again after a restart, with everything it settled', async () => {
  const { id } = createSessions({ key: KEY }).open(FACTS);
  const found = await createSessions({ key: KEY }).find(id, 'tasks', 'local:local');
  expect(found).toMatchObject(FACTS);
  expect(id).toMatch(/^[\x21-\x7e]+$/);
});

test('two sessions of the same client differ, in id and seat', () => {
  const sessions = createSessions({ key: KEY });
  const [a, b] = [sessions.open(FACTS), sessions.open(FACTS)];
  expect(a.id).not.toBe(b.id);
  expect(a.seat).not.toBe(b.seat);
  expect(a.id).not.toContain(a.seat);
});

test('a changed, cut, foreign or empty id is unknown', async () => {
  const sessions = createSessions({ key: KEY });
  const { id } = sessions.open(FACTS);
  const [body, signature] = id.split('.') as [string, string];
  const bad = [
    '',
    '.',
    'x',
    body,
    `${body}.`,
    `${body.slice(1)}.${signature}`,
    `${id}A`,
    `${id}.`,
    id.slice(0, -1),
    'a'.repeat(10_000),
  ];
  for (const changed of bad)
    expect(await sessions.find(changed, 'tasks', 'local:local'), changed.slice(0, 40)).toBeUndefined();
  const other = createSessions({ key: new Uint8Array(32).fill(8) }).open(FACTS);
  expect(await sessions.find(other.id, 'tasks', 'local:local')).toBeUndefined();
});

test('a session serves neither another server nor another caller', async () => {
  const sessions = createSessions({ key: KEY });
  const { id } = sessions.open(FACTS);
  expect(await sessions.find(id, 'memory', 'local:local')).toBeUndefined();
  expect(await sessions.find(id, 'tasks', 'agent:mallory')).toBeUndefined();
  expect(await sessions.find(id, 'tasks', 'local:local')).toBeDefined();
});

test('an ended session stays ended, also after a restart that kept the memory', async () => {
  const memory = createSessionMemory();
  const sessions = createSessions({ key: KEY, memory });
  const session = sessions.open(FACTS);
  await sessions.find(session.id, 'tasks', 'local:local');
  await sessions.end(session);
  expect(await sessions.find(session.id, 'tasks', 'local:local')).toBeUndefined();
  expect(await createSessions({ key: KEY, memory }).find(session.id, 'tasks', 'local:local')).toBeUndefined();
});

test('use keeps a session young; without use it runs out', async () => {
  let now = 1_000_000;
  const sessions = createSessions({
    key: KEY,
    clock: { now: () => now, elapsed: () => now },
    idleMs: 7 * DAY,
  });
  const { id } = sessions.open(FACTS);
  for (let day = 0; day < 20; day += 5) {
    now += 5 * DAY;
    expect(await sessions.find(id, 'tasks', 'local:local'), `day ${day}`).toBeDefined();
  }
  now += 8 * DAY;
  expect(await sessions.find(id, 'tasks', 'local:local')).toBeUndefined();
});

test('a binding too long to carry is refused when the session opens, not when it is used', () => {
  expect(() => createSessions({ key: KEY }).open({ ...FACTS, bound: { team: 'x'.repeat(5_000) } })).toThrow(
    'too long for a session',
  );
});

test('abandoned sessions cost no memory', () => {
  const touched: string[] = [];
  const memory = { ...createSessionMemory(), touch: (key: string) => touched.push(key) };
  const sessions = createSessions({ key: KEY, memory });
  for (let i = 0; i < 10_000; i += 1) sessions.open({ ...FACTS, can: NO_ABILITIES });
  expect(touched).toEqual([]);
});

test('the memory is bounded and forgets what has run out', async () => {
  const memory = createSessionMemory(3);
  for (const key of ['a', 'b', 'c', 'd']) memory.touch(key, 1, 10);
  expect(await memory.recall('a')).toBeUndefined();
  memory.touch('e', 11, 20);
  expect(await memory.recall('d')).toBeUndefined();
  expect(await memory.recall('e')).toBeDefined();
});
