import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { number, type RecordOf, table, text } from '../../../store/table.ts';

export type EventKind = 'task' | 'frame' | 'terminal';

const events = table('run_events', {
  runId: text(),
  id: number(),
  kind: text<EventKind>(),
  data: text(),
  at: number(),
});
const shown = events.only('id', 'kind', 'data');
export type StoredEvent = Readonly<RecordOf<typeof shown.fields>>;

export async function insertEvents(tx: Tx, runId: string, added: readonly StoredEvent[]): Promise<void> {
  const rows = added.map((event) => ({ ...event, runId, at: tx.now }));
  await tx.run(sql`insert into run_events ${events.values(...rows)}`);
}

type EventPage = Readonly<{ after: number; limit: number }>;

export function eventsAfter(q: Query, runId: string, { after, limit }: EventPage): Promise<StoredEvent[]> {
  return shown.list(q, sql`where run_id = ${runId} and id > ${after} order by id limit ${limit}`);
}

/** When it last changed its state; undefined when that event is no longer kept. */
export async function lastStateAt(q: Query, runId: string): Promise<number | undefined> {
  const last = sql`where run_id = ${runId} and kind <> 'frame' order by id desc limit 1`;
  return (await events.only('at').find(q, last))?.at;
}

export function dropEventsBefore(tx: Tx, runId: string, id: number): Promise<number> {
  return events.delete(tx, sql`where run_id = ${runId} and id < ${id}`);
}
