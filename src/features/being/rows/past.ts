// SQL of what a Being's documents and relations said before they were replaced.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { likePattern } from './nodes.ts';
import type { HistoryQuestion } from './messages.ts';

export type PastRow = Readonly<{
  id: string;
  target: string;
  name: string;
  /** Sealed where the document is. */
  content: string;
  location: string | null;
  at: number;
}>;

const COLUMNS = sql.raw('id, target, name, content, location, at');

export async function insertPast(tx: Tx, being: string, past: PastRow): Promise<void> {
  await tx.run(sql`
    insert into being_past (being_id, id, target, name, content, location, at)
    values (${being}, ${past.id}, ${past.target}, ${past.name}, ${past.content}, ${past.location}, ${past.at})`);
}

/** Of one document only the last ones are kept. */
export async function trimPast(tx: Tx, being: string, of: PastName, most: number): Promise<void> {
  await tx.run(sql`
    delete from being_past
    where being_id = ${being} and target = ${of.target} and name = ${of.name} and id not in (
      select id
      from being_past
      where being_id = ${being} and target = ${of.target} and name = ${of.name}
      order by id desc
      limit ${most}
    )`);
}

export type PastName = Pick<PastRow, 'target' | 'name'>;

/** What is deleted is gone, and with it what it said before. */
export async function deletePast(tx: Tx, being: string, { target, name }: PastName): Promise<void> {
  await tx.run(sql`
    delete from being_past
    where being_id = ${being} and target = ${target} and name = ${name}`);
}

/** Newest first. */
export function pastOf(
  q: Query,
  being: string,
  { target, name, limit }: Readonly<{ target?: string; name?: string; limit: number }>,
): Promise<PastRow[]> {
  return q.all<PastRow>(sql`
    select ${COLUMNS}
    from being_past
    where being_id = ${being}
      ${target === undefined ? sql.empty : sql`and target = ${target}`}
      ${name === undefined ? sql.empty : sql`and name = ${name}`}
    order by at desc, id desc
    limit ${limit}`);
}

/** Secrets cannot be searched: what lies here of them is sealed. */
export function findPast(
  q: Query,
  being: string,
  { query, from, until, limit }: HistoryQuestion,
  sealed: readonly string[],
): Promise<PastRow[]> {
  return q.all<PastRow>(sql`
    select ${COLUMNS}
    from being_past
    where being_id = ${being} and target not in ${sql.in(sealed)}
      ${query === undefined ? sql.empty : sql`and lower(content) like ${likePattern(query)} escape '!'`}
      ${from === undefined ? sql.empty : sql`and at >= ${from}`}
      ${until === undefined ? sql.empty : sql`and at < ${until}`}
    order by at desc, id desc
    limit ${limit}`);
}
