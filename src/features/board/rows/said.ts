import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

/** What the source of an imported task said last: a digest for each field, and the labels that it had. */
export type SaidThere = Readonly<{
  fields: Readonly<Record<string, string>>;
  labels: readonly string[];
  /** The import that added the task was taken back: another one adds it again. */
  isTakenBack?: true;
}>;

type SaidRow = Readonly<{ said_there: string | null }>;

export function readSaidIn({ said_there: said }: SaidRow): SaidThere | undefined {
  return said === null ? undefined : (JSON.parse(said) as SaidThere);
}

export async function readSaid(q: Query, taskId: string): Promise<SaidThere | undefined> {
  const row = await q.get<SaidRow>(sql`select said_there from tasks where id = ${taskId}`);
  return row && readSaidIn(row);
}

export async function writeSaid(tx: Tx, taskId: string, said: SaidThere | undefined): Promise<void> {
  const text = said === undefined ? null : JSON.stringify(said);
  await tx.run(sql`update tasks set said_there = ${text} where id = ${taskId}`);
}
