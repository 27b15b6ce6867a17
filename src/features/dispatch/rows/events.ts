import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

export type EventKind = 'task' | 'frame' | 'terminal';
export type StoredEvent = Readonly<{ id: number; kind: EventKind; data: string }>;

export async function insertEvents(tx: Tx, runId: string, events: readonly StoredEvent[]): Promise<void> {
  const rows = events.map(({ id, kind, data }) => sql.tuple([runId, id, kind, data, tx.now]));
  await tx.run(sql`
    insert into run_events (run_id, id, kind, data, at)
    values ${sql.join(rows, ', ')}`);
}

type EventPage = Readonly<{ after: number; limit: number }>;

export function eventsAfter(q: Query, runId: string, { after, limit }: EventPage): Promise<StoredEvent[]> {
  return q.all<StoredEvent>(sql`
    select id, kind, data
    from run_events
    where run_id = ${runId} and id > ${after}
    order by id
    limit ${limit}`);
}

/** What was said last, in the order it was said. */
export async function lastFrames(q: Query, runId: string, limit: number): Promise<StoredEvent[]> {
  const found = await q.all<StoredEvent>(sql`
    select id, kind, data
    from run_events
    where run_id = ${runId} and kind = 'frame'
    order by id desc
    limit ${limit}`);
  return found.toReversed();
}

/** When it last changed its state; undefined when that event is no longer kept. */
export async function lastStateAt(q: Query, runId: string): Promise<number | undefined> {
  const row = await q.get<{ at: number }>(sql`
    select at
    from run_events
    where run_id = ${runId} and kind <> 'frame'
    order by id desc
    limit 1`);
  return row?.at;
}

export function dropEventsBefore(tx: Tx, runId: string, id: number): Promise<number> {
  return tx.run(sql`delete from run_events where run_id = ${runId} and id < ${id}`);
}
