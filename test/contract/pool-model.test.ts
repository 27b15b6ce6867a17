// attempt × lease × fence × cut, held against a model: any order of claims, frames (doubled, late, with holes), signs of life, leases
// that pass while nobody is heard or the hub sleeps, ends, takings away and cancels, by attempts that are current and by those that are
// not. What is stored is what the model says, and no more.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HubError } from '../../src/kernel/errors.ts';
import { systemActor } from '../../src/kernel/principal.ts';
import type { Database } from '../../src/store/database.ts';
import { attemptsOf, holderOf } from '../../src/features/dispatch/rows/attempts.ts';
import { eventsAfter } from '../../src/features/dispatch/rows/events.ts';
import { changeReason, findRun, lockRun } from '../../src/features/dispatch/rows/runs.ts';
import { handClock } from '../fixtures/board-host.ts';
import { eachEngine, freshPlace } from '../fixtures/databases.ts';
import { poolParts, runnerCalled } from '../fixtures/pool-parts.ts';

type Step =
  | Readonly<{ do: 'claim'; by: number }>
  /** By any attempt that ever was; `back` frames are sent again, `hole` are left out. */
  | Readonly<{ do: 'frames'; of: number; back: number; hole: number; count: number }>
  | Readonly<{ do: 'end' | 'hand-over'; of: number }>
  | Readonly<{ do: 'beat'; of: number }>
  /** Time passes, and the hub looks whose lease did. */
  | Readonly<{ do: 'wait'; looks: number }>
  /** The hub sleeps, or its clock is set. */
  | Readonly<{ do: 'sleep'; ms: number }>
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
  { weight: 3, arbitrary: fc.record({ do: fc.constant('beat' as const), of: small(3) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), looks: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('sleep' as const), ms: fc.constantFrom(60_000, 600_000) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('lose' as const), late: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ do: 'cancel' as const }) },
);

type Handle = { id: string; attempt: number; fence: number; by: number; sent: number; token: string };

eachEngine('attempts', (engine) => {
  it('are what the model says, whatever happens in whatever order', { timeout: 120_000 }, async () => {
    const clock = handClock();
    const db = await (await freshPlace(engine)).open({ clock });
    const ground = { db, clock };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), small(2), async (steps, retries) =>
        play({ ...ground, ...poolParts(db) }, steps, retries),
      ),
      { numRuns: engine === 'sqlite' ? 60 : 25 },
    );
  });
});

type Ground = Readonly<{ db: Database; clock: ReturnType<typeof handClock> }> & ReturnType<typeof poolParts>;

const LOOK_MS = 15_000;
const LEASE_MS = 45_000;

async function play(
  { db, clock, access, reports, loseAttempt, endRun, begin, keeper, queued }: Ground,
  steps: readonly Step[],
  retries: number,
) {
  const id = await queued(retries);
  const handles: Handle[] = [];
  const model = {
    state: 'pending',
    current: undefined as Handle | undefined,
    lost: 0,
    taken: [] as string[],
    isCancelling: false,
    leaseUntil: 0,
    /** Since when the hub can have heard whoever lives. */
    listensSince: clock.elapsed(),
  };
  const heard = () => void (model.leaseUntil = clock.now() + LEASE_MS);
  /** As the hub does every few seconds. */
  async function look(): Promise<void> {
    await keeper.recover();
    const isJudged = clock.elapsed() - model.listensSince > LEASE_MS;
    if (model.state === 'active' && isJudged && model.leaseUntil < clock.now()) loses();
  }

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
      model.current = { id, attempt, fence, by: now.by, sent: 0, token: begun.token };
      handles.push(model.current);
      heard();
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
      heard();
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
    } else if (now.do === 'beat') {
      const handle = handles[now.of % Math.max(1, handles.length)];
      if (!handle) continue;
      const beat = { asks: [], waitMs: 0, signal: NEVER };
      const answer = await refusal(reports.beat(who(handle), handle, beat));
      if (!isCurrent(handle)) expect(answer).toBe('stale_fence');
      else {
        heard();
        expect(answer).toMatchObject({ commands: model.isCancelling ? [{ kind: 'cancel' }] : [] });
      }
    } else if (now.do === 'wait') {
      for (let i = 0; i < now.looks; i += 1) {
        clock.advance(LOOK_MS);
        await look();
      }
    } else if (now.do === 'sleep') {
      clock.step(now.ms);
      model.listensSince = clock.elapsed();
      await look();
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
    // Whatever an agent of an attempt that is over calls is refused.
    for (const handle of handles)
      expect((await refusal(access.identify(handle.token))) === 'unauthorized').toBe(!isCurrent(handle));
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

const NEVER = new AbortController().signal;

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

const who = ({ by }: Handle) => runnerCalled(`r${by}`);

async function refusal<T>(work: Promise<T>): Promise<T | string> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof HubError) return error.code;
    throw error;
  }
}
