import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

/** What the source of an imported task said last: a digest for each field, and the labels that it had. */
export type SaidThere = Readonly<{ fields: Readonly<Record<string, string>>; labels: readonly string[] }>;

export async function readSaid(q: Query, taskId: string): Promise<SaidThere | undefined> {
  const row = await q.get<{ said_there: string | null }>(
    sql`select said_there from tasks where id = ${taskId}`,
  );
  return row?.said_there ? (JSON.parse(row.said_there) as SaidThere) : undefined;
}

export async function writeSaid(tx: Tx, taskId: string, said: SaidThere): Promise<void> {
  await tx.run(sql`update tasks set said_there = ${JSON.stringify(said)} where id = ${taskId}`);
}
