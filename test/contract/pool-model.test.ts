// attempt × lease × fence × cut, held against a model: any order of claims, frames (doubled, late, with holes), ends, takings away
// and cancels, by attempts that are current and by those that are not. What is stored is what the model says, and no more.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DEFAULT_RUN_LIMITS } from '../../src/kernel/agent-settings.ts';
import { HubError } from '../../src/kernel/errors.ts';
import { newId } from '../../src/kernel/ids.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { type Principal, systemActor } from '../../src/kernel/principal.ts';
import type { Database } from '../../src/store/database.ts';
import { createAccess } from '../../src/features/access/access.ts';
import { createBeginAttempt } from '../../src/features/dispatch/attempt/begin.ts';
import { createRunEnd } from '../../src/features/dispatch/attempt/end.ts';
import { createLoseAttempt } from '../../src/features/dispatch/attempt/lose.ts';
import { createIdentity } from '../../src/features/dispatch/messages/envelopes.ts';
import { createTelling } from '../../src/features/dispatch/pool/telling.ts';
import { attemptsOf, holderOf } from '../../src/features/dispatch/rows/attempts.ts';
import { eventsAfter } from '../../src/features/dispatch/rows/events.ts';
import { queueRun } from '../../src/features/dispatch/rows/queue.ts';
import { changeReason, findRun, insertRun, lockRun } from '../../src/features/dispatch/rows/runs.ts';
import { EMPTY_RUN, type Run } from '../../src/features/dispatch/run.ts';
import { eachEngine, freshFolder, freshPlace } from '../fixtures/databases.ts';

type Step =
  | Readonly<{ do: 'claim'; by: number }>
  /** By any attempt that ever was; `back` frames are sent again, `hole` are left out. */
  | Readonly<{ do: 'frames'; of: number; back: number; hole: number; count: number }>
  | Readonly<{ do: 'end' | 'hand-over'; of: number }>
  | Readonly<{ do: 'lose'; late: boolean }>
  | Readonly<{ do: 'cancel' }>;

const small = (max: number) => fc.nat({ max });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('claim' as const), by: small(2) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('frames' as const),
      of: small(3),
      back: small(3),
      hole: small(1),
      count: small(4),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('end' as const, 'hand-over' as const), of: small(3) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('lose' as const), late: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ do: 'cancel' as const }) },
);

type Handle = { id: string; attempt: number; fence: number; by: number; sent: number };

eachEngine('attempts', (engine) => {
  it('are what the model says, whatever happens in whatever order', { timeout: 120_000 }, async () => {
    const db = await (await freshPlace(engine)).open();
    const parts = partsOf(db);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), small(2), async (steps, retries) =>
        play({ db, ...parts }, steps, retries),
      ),
      { numRuns: engine === 'sqlite' ? 60 : 25 },
    );
  });
});

function partsOf(db: Database) {
  const access = createAccess({ db, log: silentLog });
  const identity = createIdentity(freshFolder(), 3);
  const endRun = createRunEnd({ access, identity, log: silentLog, settle: async () => undefined });
  const loseAttempt = createLoseAttempt({ access, endRun, withdraw: async () => undefined });
  const reports = createTelling({
    db,
    log: silentLog,
    questions: { ask: () => undefined, answers: () => [], forget: () => undefined },
    endRun,
    loseAttempt,
    takeWork: async () => undefined,
    ended: async () => undefined,
    alive: () => undefined,
    aliveMs: 60_000,
  });
  return {
    reports,
    loseAttempt,
    endRun,
    begin: createBeginAttempt({ access, seated: async () => undefined }),
  };
}

type Ground = Readonly<{ db: Database }> & ReturnType<typeof partsOf>;

async function play(
  { db, reports, loseAttempt, endRun, begin }: Ground,
  steps: readonly Step[],
  retries: number,
) {
  const id = newId();
  await db.write(systemActor, async (tx) => {
    await insertRun(tx, runOf(id, retries, tx.now));
    await queueRun(tx, id);
  });
  const handles: Handle[] = [];
  const model = {
    state: 'pending',
    current: undefined as Handle | undefined,
    lost: 0,
    taken: [] as string[],
    isCancelling: false,
  };

  const isCurrent = (handle: Handle) => model.current === handle && model.state === 'active';
  const goes = (state: string) => {
    model.state = state;
    model.current = undefined;
  };
  const loses = () => {
    const mayFollow = !model.isCancelling && model.lost < retries;
    model.lost += 1;
    goes(mayFollow ? 'pending' : model.isCancelling ? 'cancelled' : 'expired');
  };

  for (const now of steps) {
    if (now.do === 'claim') {
      const begun = await db.write(systemActor, async (tx) => {
        const run = (await lockRun(tx, id))!;
        if (run.state !== 'pending') return undefined;
        const runner = `r${now.by}`;
        const taker = { runner, holder: holderOf(runner), machine: runner, hub: 'h' };
        return begin(tx, run, { taker, agent: { instance: 'far', family: 'command', lane: 'exec' } });
      });
      expect(begun !== undefined).toBe(model.state === 'pending');
      if (!begun) continue;
      const { attempt, fence } = begun.run;
      expect(handles.every((before) => before.fence < fence && before.attempt < attempt)).toBe(true);
      model.state = 'active';
      model.current = { id, attempt, fence, by: now.by, sent: 0 };
      handles.push(model.current);
    } else if (now.do === 'frames') {
      const handle = handles[now.of % Math.max(1, handles.length)];
      if (!handle) continue;
      const from = Math.max(1, handle.sent + 1 - now.back + now.hole * (now.back + 1));
      const frames = Array.from({ length: now.count }, (_, i) => frame(handle, from + i));
      const acked = await refusal(reports.frames(who(handle), handle, { from, frames }));
      if (!isCurrent(handle)) {
        expect(acked).toBe('stale_fence');
        continue;
      }
      if (from <= handle.sent + 1)
        for (let n = handle.sent + 1; n < from + now.count; n += 1) {
          model.taken.push(frame(handle, n).line);
          handle.sent = n;
        }
      expect(acked).toBe(handle.sent);
    } else if (now.do === 'end' || now.do === 'hand-over') {
      const handle = handles[now.of % Math.max(1, handles.length)];
      if (!handle) continue;
      const wasOver = handle;
      const state = now.do === 'end' ? ('done' as const) : ('handed_over' as const);
      const before = (await db.read((q) => attemptsOf(q, id))).find(({ n }) => n === handle.attempt)!;
      const answer = await refusal(reports.end(who(handle), handle, { state }));
      if (isCurrent(wasOver)) {
        if (state === 'done') goes(model.isCancelling ? 'cancelled' : 'done');
        else loses();
      } else expect(answer).toBe(before.end === state ? state : 'stale_fence');
    } else if (now.do === 'lose') {
      // A judge that is late names a fence that has gone on.
      const fence = now.late ? (handles.at(-2)?.fence ?? -1) : (model.current?.fence ?? -1);
      const error = { class: 'crash', text: 'gone' } as const;
      const lost = await db.write(systemActor, (tx) => loseAttempt(tx, id, { fence, as: 'lost', error }));
      expect(lost !== undefined).toBe(!now.late && model.state === 'active');
      if (lost) loses();
    } else {
      if (model.state !== 'pending' && model.state !== 'active') continue;
      await db.write(systemActor, async (tx) => {
        await changeReason(tx, id, { to: 'cancelling' });
        const run = (await findRun(tx, id))!;
        if (run.state === 'pending') await endRun(tx, id, NOTHING);
      });
      if (model.state === 'pending') goes('cancelled');
      else model.isCancelling = true;
    }
    expect((await db.read((q) => findRun(q, id)))!.state).toBe(model.state);
  }
  const events = await db.read((q) => eventsAfter(q, id, { after: 0, limit: 1_000 }));
  const lines = events.flatMap(({ kind, data }) =>
    kind === 'frame' ? [(JSON.parse(data) as { line: string }).line] : [],
  );
  expect(lines).toEqual(model.taken);
  expect(events.map((event) => event.id)).toEqual(events.map((_, i) => i + 1));
  expect(events.filter(({ kind }) => kind === 'terminal').length).toBe(
    ['pending', 'active'].includes(model.state) ? 0 : 1,
  );
  const attempts = await db.read((q) => attemptsOf(q, id));
  expect(attempts.filter(({ endedAt }) => endedAt === null).length).toBe(model.state === 'active' ? 1 : 0);
}

const NOTHING = {
  outcome: undefined,
  isCancelled: true,
  isLost: false,
  error: null,
  lastMessage: undefined,
  review: undefined,
  fence: undefined,
};

const frame = ({ attempt }: Handle, n: number) => ({
  kind: 'stdout' as const,
  line: `${attempt}.${n}`,
  ts: '2026-01-01T00:00:00Z',
});

function who({ by }: Handle): Principal {
  return {
    kind: 'agent',
    id: `r${by}`,
    scopes: new Set(['runs:work']),
    seat: '',
    bound: { agent: `r${by}` },
  };
}

async function refusal<T>(work: Promise<T>): Promise<T | string> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof HubError) return error.code;
    throw error;
  }
}

function runOf(id: string, retries: number, now: number): Run {
  return {
    ...EMPTY_RUN,
    id,
    instance: 'far',
    agent: `far-${id.slice(-6)}`,
    team: null,
    project: null,
    cwd: '/',
    prompt: 'x',
    model: null,
    sessionId: null,
    boardTask: null,
    limits: DEFAULT_RUN_LIMITS,
    wants: { needs: [], retries },
    createdAt: now,
  };
}
