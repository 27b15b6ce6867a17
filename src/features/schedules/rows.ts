// SQL of schedules and of what they fired.
import { newId } from '../../kernel/ids.ts';
import type { Query, Tx } from '../../store/database.ts';
import { CLOCKS_APART_MS } from '../../store/lease.ts';
import { sql } from '../../store/sql.ts';
import { table } from '../../store/table.ts';
import { type Fire, type FireCause, fireColumns, type Schedule, scheduleColumns } from './schedule-shapes.ts';

const schedules = table('schedules', scheduleColumns);
const fires = table('schedule_fires', fireColumns);

export const insertSchedule = (tx: Tx, schedule: Schedule): Promise<void> => schedules.insert(tx, schedule);

export const findSchedule = (q: Query, id: string): Promise<Schedule | undefined> =>
  schedules.find(q, sql`where id = ${id}`);

export const countSchedules = (q: Query): Promise<number> => schedules.count(q, sql``);

type Page = Readonly<{ team: string | undefined; after: string | undefined; limit: number }>;

/** Oldest first. */
export const listSchedules = (q: Query, { team, after, limit }: Page): Promise<Schedule[]> =>
  schedules.list(
    q,
    sql`where id > ${after ?? ''} ${team === undefined ? sql`` : sql`and team = ${team}`}
    order by id
    limit ${limit}`,
  );

/** Those that wait for something on the board: a label, or a status. */
export const triggers = (q: Query): Promise<Schedule[]> =>
  schedules.list(q, sql`where kind in ('label', 'status') and paused = 0 order by id`);

/** Whose time has come, and those that were planned before the clock was set back. */
export const dueSchedules = (q: Query, now: number, limit: number): Promise<Schedule[]> =>
  schedules.list(
    q,
    sql`where id in (
        select id from schedules where paused = 0 and next_at <= ${now}
        union
        select id from schedules
        where paused = 0 and next_at is not null and planned_at > ${now + CLOCKS_APART_MS})
    order by next_at, id
    limit ${limit}`,
  );

export async function nextDue(q: Query): Promise<number | null> {
  const row = await q.get<{ at: number | null }>(
    sql`select min(next_at) as at from schedules where paused = 0 and next_at is not null`,
  );
  return row?.at ?? null;
}

/** Only where it still stands as it was seen: of all hubs that saw it due, one moves it on. */
export async function moveOn(tx: Tx, seen: Schedule, change: Partial<Schedule>): Promise<boolean> {
  const moved = await schedules.update(
    tx,
    change,
    sql`where id = ${seen.id} and next_at = ${seen.nextAt} and planned_at = ${seen.plannedAt} and paused = 0`,
  );
  return moved > 0;
}

export const changeSchedule = (tx: Tx, id: string, change: Partial<Schedule>): Promise<number> =>
  schedules.update(tx, change, sql`where id = ${id}`);

export const deleteSchedule = (tx: Tx, id: string): Promise<number> =>
  schedules.delete(tx, sql`where id = ${id}`);

export const moveToProject = (tx: Tx, from: string, into: string): Promise<number> =>
  schedules.update(tx, { team: into }, sql`where team = ${from}`);

type NewFire = Readonly<{
  scheduleId: string;
  key: string;
  at: number;
  cause: FireCause;
  state?: 'waiting' | 'skipped';
  error?: string;
}>;

/** Undefined: this schedule has fired for that already. The unique key decides, over all hubs. */
export async function insertFire(
  tx: Tx,
  { state = 'waiting', error, ...given }: NewFire,
): Promise<Fire | undefined> {
  const fire: Fire = {
    ...given,
    id: newId(),
    state,
    taskId: null,
    runId: null,
    error: error ?? null,
    createdAt: tx.now,
    endedAt: state === 'waiting' ? null : tx.now,
  };
  const made = await tx.run(sql`
    insert into schedule_fires ${fires.values(fire)}
    on conflict (schedule_id, key) do nothing`);
  return made > 0 ? fire : undefined;
}

export const findFire = (q: Query, id: string): Promise<Fire | undefined> =>
  fires.find(q, sql`where id = ${id}`);

export const lockFire = (tx: Tx, id: string): Promise<Fire | undefined> =>
  fires.find(tx, sql`where id = ${id} ${tx.dialect.forUpdate}`);

export const hasFired = async (q: Query, scheduleId: string, key: string): Promise<boolean> =>
  (await fires.count(q, sql`where schedule_id = ${scheduleId} and key = ${key}`)) > 0;

/** It may fire for the same again: the label was taken away. */
export async function freeKey(tx: Tx, scheduleId: string, key: string): Promise<void> {
  await fires.update(
    tx,
    { key: `${key}:${newId()}` },
    sql`where schedule_id = ${scheduleId} and key = ${key}`,
  );
}

/** It waits for another label: a task that had the one before may have this one, too. */
export const freeLabels = (tx: Tx, scheduleId: string): Promise<number> =>
  tx.run(sql`
    update schedule_fires
    set key = key || ${`:${newId()}`}
    where schedule_id = ${scheduleId} and key like 'l:%'`);

/** From waiting to what it became; false when somebody was first. */
export async function settleFire(tx: Tx, id: string, change: Partial<Fire>): Promise<boolean> {
  const settled = await fires.update(
    tx,
    { ...change, endedAt: tx.now },
    sql`where id = ${id} and state = 'waiting'`,
  );
  return settled > 0;
}

export async function setFireTask(tx: Tx, id: string, taskId: string): Promise<void> {
  await fires.update(tx, { taskId }, sql`where id = ${id}`);
}

export const isTaskOfFire = async (q: Query, taskId: string): Promise<boolean> =>
  (await fires.count(q, sql`where task_id = ${taskId}`)) > 0;

/** Newest first. */
export const firesOf = (q: Query, scheduleId: string, limit: number): Promise<Fire[]> =>
  fires.list(q, sql`where schedule_id = ${scheduleId} order by at desc, id desc limit ${limit}`);

type Waiting = Readonly<{ last: number | null; waiting: number }>;

/** How many of a schedule have not started yet, and when the last was planned for. */
export async function waitingOf(q: Query, scheduleId: string): Promise<Waiting> {
  const row = await q.get<{ last: number | null; waiting: number }>(sql`
    select max(at) as last, coalesce(sum(case when state = 'waiting' then 1 else 0 end), 0) as waiting
    from schedule_fires
    where schedule_id = ${scheduleId} and state <> 'skipped'`);
  return { last: row?.last ?? null, waiting: row?.waiting ?? 0 };
}

export const dropFiresBefore = (tx: Tx, before: number): Promise<number> =>
  fires.delete(
    tx,
    sql`where id in (
      select id from schedule_fires where created_at < ${before} and state <> 'waiting' order by created_at limit 1000)`,
  );
