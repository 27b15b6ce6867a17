// Whose rows: one Being in a snapshot, or in a transaction. Every statement about a Being is reached through one of these,
// so none can forget whose memory it is about.
import type { Query, Tx } from '../../../store/database.ts';
import { type Sql, sql } from '../../../store/sql.ts';
import { type Columns, type RecordOf, table } from '../../../store/table.ts';

export type Seen = Readonly<{ q: Query; being: string }>;
export type Held = Seen & Readonly<{ tx: Tx }>;

export function held(tx: Tx, being: string): Held {
  return { q: tx, tx, being };
}

/**
 * A table whose rows belong to Beings. `rest` goes on behind `where being_id = …`, so what is found, changed or deleted is
 * always one Being's own.
 */
export function beingTable<C extends Columns>(name: string, columns: C) {
  const own = table(name, columns);
  const here = sql.raw(name);
  const find = ({ being }: Seen, rest: Sql): Sql => sql`
    select ${own.columns}
    from ${here}
    where being_id = ${being} ${rest}`;
  const inserting = ({ being }: Held, record: RecordOf<C>): Sql => sql`
    insert into ${here} (being_id, ${own.columns})
    values ${sql.tuple([being, ...own.params(record)])}`;
  return {
    fields: columns,
    one: (self: Seen, rest: Sql) => own.get(self.q, find(self, rest)),
    all: (self: Seen, rest: Sql) => own.all(self.q, find(self, rest)),
    async count({ q, being }: Seen, rest: Sql = sql.empty): Promise<number> {
      const row = await q.get<{ count: number }>(sql`
        select count(*) as count
        from ${here}
        where being_id = ${being} ${rest}`);
      return row!.count;
    },
    /** `insert into …`, for what follows on a conflict. */
    inserting,
    async insert(self: Held, record: RecordOf<C>): Promise<void> {
      await self.tx.run(inserting(self, record));
    },
    change: ({ tx, being }: Held, changed: Partial<RecordOf<C>>, rest: Sql): Promise<number> =>
      tx.run(sql`
        update ${here}
        set ${own.assign(changed)}
        where being_id = ${being} ${rest}`),
    remove: ({ tx, being }: Held, rest: Sql): Promise<number> =>
      tx.run(sql`
        delete from ${here}
        where being_id = ${being} ${rest}`),
  };
}
