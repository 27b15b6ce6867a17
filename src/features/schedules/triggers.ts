// What happens on the board makes schedules fire: a label, a status. Each event counts once, because the reader's
// position moves in the transaction that makes the firing.
import type { Event } from '../../kernel/event.ts';
import type { Log } from '../../kernel/log.ts';
import { isPersonName } from '../../kernel/person-name.ts';
import { hubCaller } from '../../store/calls.ts';
import { type Running, startConsumer } from '../../store/consumers.ts';
import type { Database, Tx } from '../../store/database.ts';
import { CLOCKS_APART_MS } from '../../store/lease.ts';
import type { Board } from '../board/board.ts';
import type { DispatchRoom } from '../dispatch/dispatch.ts';
import { fireAt } from './fires.ts';
import { freeKey, hasFired, insertFire, isTaskOfFire, triggers, waitingOf } from './rows.ts';
import { MOST_WAITING, spaced } from './rules.ts';
import type { FireCause, Schedule } from './schedule-shapes.ts';

export type TriggerParts = Readonly<{
  db: Database;
  log: Log;
  board: Pick<Board, 'at'>;
  dispatch: Pick<DispatchRoom, 'at'>;
}>;

const STATUS_OF: Readonly<Record<string, (event: Event) => unknown>> = {
  'task.created': ({ data }) => data?.['status'],
  'task.status_changed': ({ data }) => data?.['to'],
  'task.claimed': () => 'in_progress',
  'task.released': () => 'todo',
};
/** Afterwards there may be one that waits for the board. */
const CHANGES: readonly string[] = ['schedule.added', 'schedule.changed'];
/** What the hub does with a task of its own making. */
const OWN_STEPS: ReadonlySet<string> = new Set(['task.created', 'task.claimed']);

function createTriggers({ board, dispatch }: TriggerParts) {
  /** Whose act it was. Whoever is no person is an agent, also by the name of a run that is over. */
  async function causeOf(tx: Tx, { actor, subject, team }: Event): Promise<FireCause> {
    const task = { by: 'task', task: subject } as const;
    if (!actor.asserted && isPersonName(actor.id)) return task;
    const run = await dispatch.at(tx, hubCaller).behind({ agent: actor.id, taskId: subject });
    // The hub itself: a lease that ran out, a landing, and no run behind it.
    if (!run && !actor.asserted && actor.id === 'system') return task;
    return {
      ...task,
      agent: run?.agent ?? actor.id,
      ...(run && { run: run.id }),
      ...(team !== undefined && { team }),
    };
  }

  async function fire(
    tx: Tx,
    schedule: Schedule,
    { event, key }: Readonly<{ event: Event; key: string }>,
  ): Promise<void> {
    const cause = await causeOf(tx, event);
    const { last, waiting } = await waitingOf(tx, schedule.id);
    const scheduleId = schedule.id;
    if (waiting >= MOST_WAITING) {
      const error = `${MOST_WAITING} times waited already`;
      await insertFire(tx, { scheduleId, key, at: tx.now, cause, state: 'skipped', error });
      return;
    }
    await fireAt(tx, schedule, { key, at: spaced(tx.now, last), cause });
  }

  async function onLabels(tx: Tx, event: Event): Promise<void> {
    const waiting = await wantedOf(tx, 'label', event);
    if (waiting.length === 0) return;
    const labels = new Set(
      (await board.at(tx, hubCaller).labels(event.subject)).map((label) => label.toLowerCase()),
    );
    for (const schedule of waiting) {
      const key = `l:${event.subject}`;
      const isThere = labels.has(schedule.pattern);
      const isKnown = await hasFired(tx, schedule.id, key);
      if (isThere && !isKnown) await fire(tx, schedule, { event, key });
      if (!isThere && isKnown) await freeKey(tx, schedule.id, key);
    }
  }

  async function onStatus(tx: Tx, event: Event, status: string): Promise<void> {
    const waiting = (await wantedOf(tx, 'status', event)).filter(({ pattern }) => pattern === status);
    if (waiting.length === 0) return;
    if (OWN_STEPS.has(event.kind) && (await isTaskOfFire(tx, event.subject))) return;
    for (const schedule of waiting) await fire(tx, schedule, { event, key: `e:${event.seq}` });
  }

  /** Where there is none, no event of the board is worth a transaction. Events come in the order of their commits. */
  let isAny = true;

  /** Those of the task's own project, and those of none, that were there when it happened: it may be heard of later. */
  async function wantedOf(tx: Tx, kind: Schedule['kind'], { team, at }: Event): Promise<Schedule[]> {
    const all = await triggers(tx);
    isAny = all.length > 0;
    return all.filter(
      (schedule) =>
        schedule.kind === kind &&
        (schedule.team === null || schedule.team === team) &&
        !isBefore(at, schedule.plannedAt),
    );
  }

  return {
    kinds: new Set([...CHANGES, 'task.labelled', ...Object.keys(STATUS_OF)]),
    begin: () => void (isAny = true),
    want({ kind }: Event): boolean {
      if (!CHANGES.includes(kind)) return isAny;
      isAny = true;
      return false;
    },
    async handle(tx: Tx, event: Event): Promise<void> {
      if (event.kind === 'task.labelled') return onLabels(tx, event);
      const status = STATUS_OF[event.kind]?.(event);
      if (typeof status === 'string') await onStatus(tx, event, status);
    },
  };
}

/** Where they lie far apart somebody has set the clock. */
const isBefore = (at: number, begun: number): boolean => at < begun && begun - at < CLOCKS_APART_MS;

export function startTriggers(parts: TriggerParts, holder: string): Running {
  const { db, log } = parts;
  return startConsumer({ db, log, holder, name: 'schedule-triggers', ...createTriggers(parts) });
}
