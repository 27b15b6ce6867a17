// SQL of what a Being's documents and relations said before they were replaced.
import { sql } from '../../../store/sql.ts';
import { number, type RecordOf, text, textOrNull } from '../../../store/table.ts';
import { type HistoryQuestion, matching } from './messages.ts';
import { beingTable, type Held, type Seen } from './whose.ts';

const past = beingTable('being_past', {
  id: text(),
  target: text(),
  name: text(),
  /** Sealed where the document is. */
  content: text(),
  location: textOrNull(),
  at: number(),
});
export type PastRow = Readonly<RecordOf<typeof past.fields>>;
export type PastName = Pick<PastRow, 'target' | 'name'>;

export function insertPast(self: Held, row: PastRow): Promise<void> {
  return past.insert(self, row);
}

/** Of one document only the last ones are kept. */
export async function trimPast(self: Held, { target, name }: PastName, most: number): Promise<void> {
  await past.remove(
    self,
    sql`and target = ${target} and name = ${name} and id not in (
      select id
      from being_past
      where being_id = ${self.being} and target = ${target} and name = ${name}
      order by id desc
      limit ${most}
    )`,
  );
}

/** What is deleted is gone, and with it what it said before. */
export async function deletePast(self: Held, { target, name }: PastName): Promise<void> {
  await past.remove(self, sql`and target = ${target} and name = ${name}`);
}

type Some = Readonly<{ target?: string; name?: string; limit: number }>;

/** Newest first. */
export function pastOf(self: Seen, { target, name, limit }: Some): Promise<PastRow[]> {
  return past.all(
    self,
    sql`${target === undefined ? sql.empty : sql`and target = ${target}`}
      ${name === undefined ? sql.empty : sql`and name = ${name}`}
    order by at desc, id desc
    limit ${limit}`,
  );
}

type Unsealed = HistoryQuestion & Readonly<{ sealed: readonly string[] }>;

/** Secrets cannot be searched: what lies here of them is sealed. */
export function findPast(self: Seen, { sealed, ...question }: Unsealed): Promise<PastRow[]> {
  return past.all(self, sql`and target not in ${sql.in(sealed)} ${matching(question)}`);
}
