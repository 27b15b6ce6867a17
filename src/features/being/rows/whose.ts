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
  const ofBeing = ({ being }: Seen, rest: Sql): Sql => sql`where being_id = ${being} ${rest}`;
  const inserting = ({ being }: Held, record: RecordOf<C>): Sql => sql`
    insert into ${sql.raw(name)} (being_id, ${own.columns})
    values ${sql.tuple([being, ...own.params(record)])}`;
  return {
    fields: columns,
    one: (self: Seen, rest: Sql) => own.find(self.q, ofBeing(self, rest)),
    all: (self: Seen, rest: Sql) => own.list(self.q, ofBeing(self, rest)),
    count: (self: Seen, rest: Sql = sql.empty) => own.count(self.q, ofBeing(self, rest)),
    /** `insert into …`, for what follows on a conflict. */
    inserting,
    async insert(self: Held, record: RecordOf<C>): Promise<void> {
      await self.tx.run(inserting(self, record));
    },
    change: (self: Held, changed: Partial<RecordOf<C>>, rest: Sql): Promise<number> =>
      own.update(self.tx, changed, ofBeing(self, rest)),
    remove: (self: Held, rest: Sql): Promise<number> => own.delete(self.tx, ofBeing(self, rest)),
  };
}
