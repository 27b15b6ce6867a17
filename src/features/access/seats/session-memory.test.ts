import { expect, it } from 'vitest';
import { eachEngine, freshPlace } from '../../../../test/fixtures/databases.ts';
import { silentLog } from '../../../kernel/log.ts';
import { createSessions } from '../../../mcp/sessions/sessions.ts';
import { createStoredSessionMemory } from './session-memory.ts';

const KEY = Buffer.alloc(32, 1);
const FACTS = {
  server: 'tasks',
  version: '2025-06-18',
  can: new Set<never>(),
  bound: {},
  profile: 'default',
  owner: 'local:local',
  client: 'test',
};

eachEngine('what is remembered of sessions', (engine) => {
  it('an ended session stays ended after a restart', async () => {
    const place = await freshPlace(engine);
    const first = createStoredSessionMemory({ db: await place.open(), log: silentLog });
    const session = createSessions({ key: KEY, memory: first }).open(FACTS);
    const again = createSessions({
      key: KEY,
      memory: createStoredSessionMemory({ db: await place.open(), log: silentLog }),
    });
    expect(await again.find(session.id, 'tasks', 'local:local')).toBeDefined();
    await createSessions({ key: KEY, memory: first }).end(session);
    const restarted = createSessions({
      key: KEY,
      memory: createStoredSessionMemory({ db: await place.open(), log: silentLog }),
    });
    expect(await restarted.find(session.id, 'tasks', 'local:local')).toBeUndefined();
    await first.close();
  });

  it('a session in use stays young over a restart, an unused one ends', async () => {
    const place = await freshPlace(engine);
    let now = Date.now();
    const clock = { now: () => now, elapsed: () => now };
    const db = await place.open({ clock });
    const memory = createStoredSessionMemory({ db, log: silentLog });
    const sessions = createSessions({ key: KEY, memory, clock, idleMs: 10_000_000 });
    const [used, unused] = [sessions.open(FACTS), sessions.open({ ...FACTS, client: 'other' })];
    now += 9_000_000;
    expect(await sessions.find(used.id, 'tasks', 'local:local')).toBeDefined();
    await memory.close();
    now += 9_000_000;
    const restarted = createSessions({
      key: KEY,
      memory: createStoredSessionMemory({ db: await place.open({ clock }), log: silentLog }),
      clock,
      idleMs: 10_000_000,
    });
    expect(await restarted.find(used.id, 'tasks', 'local:local')).toBeDefined();
    expect(await restarted.find(unused.id, 'tasks', 'local:local')).toBeUndefined();
  });
});
