// How something fires: one row per schedule and cause, and the job that starts it, in one transaction.
import { HubError } from '../../kernel/errors.ts';
import type { Tx } from '../../store/database.ts';
import { enqueue } from '../../store/jobs.ts';
import { changeSchedule, insertFire, waitingOf } from './rows.ts';
import { MOST_WAITING, spaced } from './rules.ts';
import { type Fire, type FireCause, type Schedule, SCHEDULE_SUBJECT } from './schedule-shapes.ts';

/** What starts by itself, and what a person is asked for first: those who wait for an answer hold up nobody else. */
export const FIRE_QUEUE = 'schedule-fires';
export const ASK_QUEUE = 'schedule-asks';

type Firing = Readonly<{ key: string; at: number; cause: FireCause }>;

/** Undefined: it has fired for that already. */
export async function fireAt(tx: Tx, schedule: Schedule, firing: Firing): Promise<Fire | undefined> {
  const fire = await insertFire(tx, { scheduleId: schedule.id, ...firing });
  if (!fire) return undefined;
  const queue = fire.cause.agent === undefined ? FIRE_QUEUE : ASK_QUEUE;
  await enqueue(tx, { queue, key: fire.id, payload: { fire: fire.id }, runAt: fire.at });
  await changeSchedule(tx, schedule.id, { lastAt: Math.max(fire.at, schedule.lastAt ?? 0) });
  tellSchedule(tx, schedule, 'schedule.fired');
  return fire;
}

/** What others trigger comes when it comes: at most once a minute, and not without end. */
export async function fireSoon(
  tx: Tx,
  schedule: Schedule,
  { key, cause }: Omit<Firing, 'at'>,
): Promise<Fire | undefined> {
  const { last, waiting } = await waitingOf(tx, schedule.id);
  if (waiting >= MOST_WAITING) throw tooMany(schedule);
  return fireAt(tx, schedule, { key, cause, at: spaced(tx.now, last) });
}

function tooMany({ id }: Schedule): HubError {
  return new HubError('limited', `${MOST_WAITING} times of schedule ${id.slice(-8)} wait already.`, {
    hint: 'A schedule starts at most once a minute; send later.',
  });
}

type ScheduleEvent =
  | 'schedule.added'
  | 'schedule.changed'
  | 'schedule.removed'
  | 'schedule.fired'
  | 'schedule.started'
  | 'schedule.failed';

export function tellSchedule(tx: Tx, { id, team }: Pick<Schedule, 'id' | 'team'>, kind: ScheduleEvent): void {
  tx.emit({
    kind,
    subject: SCHEDULE_SUBJECT,
    realm: 'hub',
    ...(team !== null && { team }),
    data: { scheduleId: id },
  });
}
