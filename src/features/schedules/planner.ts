// Every hub looks whose time has come. Of all that see the same time, one moves the schedule on, in the transaction
// that makes the firing: so it happens once, whoever is killed (test/torture/schedules.ts).
import { pause } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { systemActor } from '../../kernel/principal.ts';
import type { Running } from '../../store/consumers.ts';
import type { Database } from '../../store/database.ts';
import { fireAt } from './fires.ts';
import { dueSchedules, moveOn, nextDue } from './rows.ts';
import { dueOf } from './rules.ts';
import { type Schedule, SCHEDULE_SUBJECT } from './schedule-shapes.ts';
import { timesOf } from './times.ts';

type PlannerParts = Readonly<{ db: Database; log: Log }>;

const AT_ONCE = 100;
/** A clock may be set, and a machine may sleep: nobody tells of either. */
const LOOK_AGAIN_MS = 15_000;
const BREATH_MS = 100;

/** Fires whatever is due; answers how many schedules there were. */
export async function planDue(db: Database): Promise<number> {
  const due = await db.read((q) => dueSchedules(q, db.now(), AT_ONCE));
  await Promise.all(due.map((schedule) => plan(db, schedule)));
  return due.length;
}

async function plan(db: Database, schedule: Schedule): Promise<void> {
  const { nextAt, missed, pattern, tz } = schedule;
  const now = db.now();
  const { fires, next } = dueOf({ nextAt: nextAt!, missed }, now, timesOf(pattern, tz));
  await db.write(systemActor, async (tx) => {
    if (!(await moveOn(tx, schedule, { nextAt: next, plannedAt: now }))) return;
    for (const at of fires) await fireAt(tx, schedule, { key: `t:${at}`, at, cause: { by: 'time' } });
  });
}

export function startPlanner({ db, log }: PlannerParts): Running {
  const stopping = new AbortController();
  const finished = loop();

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const found = await planDue(db);
        if (found > 0) await pause(BREATH_MS, stopping.signal);
        else await untilDue();
      } catch (error) {
        if (stopping.signal.aborted) return;
        log.warn('Schedules could not be looked at and will be again.', { error });
        await pause(1_000, stopping.signal);
      }
    }
  }

  /** Until the next time, or until somebody changes a schedule. */
  async function untilDue(): Promise<void> {
    const next = await db.read((q) => nextDue(q));
    const ms = next === null ? LOOK_AGAIN_MS : Math.min(LOOK_AGAIN_MS, Math.max(0, next - db.now()));
    const timer = new AbortController();
    const after = setTimeout(() => timer.abort(), ms);
    const signal = AbortSignal.any([stopping.signal, timer.signal]);
    const isOther = async () => ((await db.read((q) => nextDue(q))) === next ? undefined : true);
    try {
      await db.feed.until(SCHEDULE_SUBJECT, isOther, signal);
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    } finally {
      clearTimeout(after);
    }
  }

  return {
    async stop() {
      stopping.abort();
      await finished;
    },
  };
}
