import type { Tx } from './database.ts';
import { sql } from './sql.ts';

/** Removes the oldest events and remembers up to where, so that readers with an older cursor are told of the gap. */
export async function dropEventsBefore(tx: Tx, at: number, limit = 5_000): Promise<number> {
  const last = await tx.get<{ seq: number | null }>(sql`
    select max(seq) as seq
    from (
      select seq, at
      from events
      where seq > (select value from counters where name = 'events_floor')
      order by seq
      limit ${limit}
    ) as oldest
    where at < ${at}`);
  if (last?.seq === null || last === undefined) return 0;
  await tx.run(
    sql`update counters set value = ${last.seq} where name = 'events_floor' and value < ${last.seq}`,
  );
  return tx.run(sql`delete from events where seq <= ${last.seq}`);
}

/** Forgets idempotent answers nobody will ask for again. */
export async function dropAnswersBefore(tx: Tx, at: number): Promise<number> {
  return tx.run(sql`delete from once where at < ${at}`);
}
