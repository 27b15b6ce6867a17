// SQL of procedures and their numbered versions.
import type { ScopeTags, Sight } from '../../../recall/recall.ts';
import { countRows } from '../../../store/count.ts';
import type { Query, Tx } from '../../../store/database.ts';
import { type Sql, sql } from '../../../store/sql.ts';
import {
  flag,
  jsonOrNull,
  named,
  number,
  numberOrNull,
  type RecordOf,
  type StoredRow,
  table,
  text,
  textOrNull,
} from '../../../store/table.ts';
import type { StoredCite } from '../cites/cite.ts';
import type { Procedure } from '../fact.ts';
import type { FirstSaved } from './facts.ts';
import { type After, hasTags, isSeen, shownScope } from './sight.ts';

const procedures = table('memory_procedures', {
  id: text(),
  name: text(),
  version: number(),
  content: text(),
  createdAt: number(),
  author: text(),
  authorAsserted: named('asserted', flag()),
  source: text(),
  cites: jsonOrNull<readonly StoredCite[]>(),
  confirmedBy: textOrNull(),
  confirmedAt: numberOrNull(),
  scope: named('scope_no', number()),
});
export type ProcedureRow = Readonly<RecordOf<typeof procedures.fields>>;

/** With where it came from, and what it cites as that is kept. */
export type StoredProcedure = Omit<Procedure, 'cites' | 'confirmed'> &
  Pick<ProcedureRow, 'author' | 'source' | 'cites' | 'confirmedBy' | 'confirmedAt'>;

type Joined = StoredRow & Readonly<{ no: number | null } & Omit<ScopeTags, 'space'>>;

function toProcedure(row: Joined): StoredProcedure {
  const { scope: _scope, authorAsserted: _asserted, ...version } = procedures.read(row);
  return { ...version, ...shownScope(row) };
}

const PROCEDURE = sql`
  select ${procedures.columnsOf('procedure')}, procedure.no, scope.tenant, scope.team, scope.agent
  from memory_procedures procedure
  join recall_scopes scope on scope.no = procedure.scope_no`;

const isNamed = (scope: number, name: string): Sql => sql`where scope_no = ${scope} and name = ${name}`;
const withId = (id: string): Sql => sql`where id = ${id}`;

/** In exactly this scope, whoever asks. */
export function newestVersion(tx: Tx, scope: number, name: string): Promise<ProcedureRow | undefined> {
  return procedures.find(tx, sql`${isNamed(scope, name)} order by version desc limit 1`);
}

type NewProcedureRow = Pick<
  ProcedureRow,
  'id' | 'scope' | 'name' | 'version' | 'content' | 'source' | 'cites'
>;

export function insertProcedure(tx: Tx, row: NewProcedureRow): Promise<void> {
  const { id: author, asserted: authorAsserted } = tx.actor;
  return putBackProcedure(tx, {
    ...row,
    confirmedBy: null,
    confirmedAt: null,
    author,
    authorAsserted,
    createdAt: tx.now,
  });
}

export function putBackProcedure(tx: Tx, row: ProcedureRow): Promise<void> {
  return procedures.insert(tx, row);
}

/** The whole row, whoever asks; and as it stands, which is kept for who may want it back. */
export function versionRow(q: Query, id: string): Promise<ProcedureRow | undefined> {
  return procedures.find(q, withId(id));
}

export function storedVersion(q: Query, id: string): Promise<StoredRow | undefined> {
  return q.get(sql`select ${procedures.columns} from memory_procedures ${withId(id)}`);
}

export const readKeptVersion = (kept: StoredRow): ProcedureRow => procedures.read(kept);

export async function keepFirst(tx: Tx, id: string, first: FirstSaved): Promise<void> {
  await procedures.update(tx, first, withId(id));
}

/** What the versions of that procedure say that were saved at that moment. */
export async function versionsSavedAt(
  tx: Tx,
  tags: ScopeTags,
  version: Readonly<{ name: string; createdAt: number }>,
): Promise<string[]> {
  const rows = await tx.all<{ content: string }>(sql`
    select procedure.content
    from recall_scopes scope
    join memory_procedures procedure on procedure.scope_no = scope.no
    where ${hasTags(tags)}
      and procedure.name = ${version.name}
      and procedure.created_at = ${version.createdAt}`);
  return rows.map((row) => row.content);
}

/** Every version of that name in sight: the most private scope first, then the newest version. */
export async function proceduresByName(q: Query, sight: Sight, name: string): Promise<StoredProcedure[]> {
  const rows = await q.all<Joined>(sql`
    ${PROCEDURE}
    where procedure.name = ${name} and ${isSeen(sight)}
    order by scope.agent desc, scope.team desc, procedure.version desc`);
  return rows.map(toProcedure);
}

export async function procedureById(
  q: Query,
  sight: Sight,
  id: string,
): Promise<StoredProcedure | undefined> {
  const row = await q.get<Joined>(sql`
    ${PROCEDURE}
    where procedure.id = ${id} and ${isSeen(sight)}`);
  return row && toProcedure(row);
}

export type NumberedProcedure = Readonly<{ number: number; procedure: StoredProcedure }>;

export async function proceduresByNumbers(
  q: Query,
  sight: Sight,
  numbers: readonly number[],
): Promise<NumberedProcedure[]> {
  const rows = await q.all<Joined>(sql`
    ${PROCEDURE}
    where procedure.no ${q.dialect.isOneOf(numbers)} and ${isSeen(sight)}`);
  return rows.map((row) => ({ number: row.no!, procedure: toProcedure(row) }));
}

/** Where the versions of a procedure are filed in recall: the newest, as a rule. */
export async function filedNumbers(q: Query, scope: number, name: string): Promise<number[]> {
  const rows = await q.all<{ no: number }>(sql`
    select no
    from memory_procedures
    ${isNamed(scope, name)} and no is not null`);
  return rows.map((row) => row.no);
}

export async function unfile(tx: Tx, scope: number, name: string): Promise<void> {
  await tx.run(sql`
    update memory_procedures
    set no = null
    ${isNamed(scope, name)} and no is not null`);
}

/** Where the version stands that searches find; undefined for an earlier one. */
export function filedVersion(
  q: Query,
  id: string,
): Promise<Readonly<{ number: number; author: string }> | undefined> {
  return q.get(sql`
    select no as number, author
    from memory_procedures
    where id = ${id} and no is not null`);
}

export async function setNumber(tx: Tx, id: string, number: number): Promise<void> {
  await tx.run(sql`
    update memory_procedures
    set no = ${number}
    where id = ${id}`);
}

/** Newest versions that recall does not know. */
export function unfiledVersions(q: Query, limit: number): Promise<ProcedureRow[]> {
  return procedures.all(
    q,
    sql`
    select ${procedures.columnsOf('procedure')}
    from memory_procedures procedure
    where procedure.no is null
      and ${IS_LATEST}
    order by procedure.id
    limit ${limit}`,
  );
}

const IS_LATEST = sql`procedure.version = (
        select max(other.version)
        from memory_procedures other
        where other.scope_no = procedure.scope_no and other.name = procedure.name
      )`;

/** The newest version of each procedure in sight, by name. */
export async function latestProcedures(
  q: Query,
  sight: Sight,
  { limit, after }: After,
): Promise<StoredProcedure[]> {
  const rows = await q.all<Joined>(sql`
    ${PROCEDURE}
    where ${isSeen(sight)}
      and procedure.name > ${after}
      and ${IS_LATEST}
    order by procedure.name, scope.agent desc, scope.team desc
    limit ${limit}`);
  return rows.map(toProcedure);
}

/** The names of a scope that have a version there. */
export async function namesIn(q: Query, scope: number): Promise<string[]> {
  const rows = await q.all<{ name: string }>(sql`
    select distinct name
    from memory_procedures
    where scope_no = ${scope}
    order by name`);
  return rows.map((row) => row.name);
}

type ScopeMove = Readonly<{ from: number; into: number; name: string }>;

/** All versions of both scopes stand in one, numbered by when they were saved. No number is given twice on the way. */
export async function joinVersions(tx: Tx, { from, into, name }: ScopeMove): Promise<void> {
  const both = await procedures.list(
    tx,
    sql`where scope_no in (${from}, ${into}) and name = ${name} order by created_at, id`,
  );
  for (const [at, { id }] of both.entries())
    await procedures.update(tx, { scope: into, version: -(at + 1) }, withId(id));
  await tx.run(sql`
    update memory_procedures
    set version = -version
    ${isNamed(into, name)} and version < 0`);
}

export async function hasVersion(q: Query, { scope, name, version }: ProcedureRow): Promise<boolean> {
  return (await procedures.find(q, sql`${isNamed(scope, name)} and version = ${version}`)) !== undefined;
}

/** Every version for an export, oldest first, by id: a name may stand in several scopes, so it is no place to cut a page. */
export async function allProcedures(
  q: Query,
  sight: Sight,
  { limit, after }: After,
): Promise<StoredProcedure[]> {
  const rows = await q.all<Joined>(sql`
    ${PROCEDURE}
    where ${isSeen(sight)}
      and procedure.id > ${after}
    order by procedure.id
    limit ${limit}`);
  return rows.map(toProcedure);
}

export async function changeVersion(
  tx: Tx,
  id: string,
  change: Partial<Pick<ProcedureRow, 'cites' | 'confirmedBy' | 'confirmedAt'>>,
): Promise<void> {
  await procedures.update(tx, change, withId(id));
}

/** The versions that searches find and that cite something, by id. */
export async function citingProcedures(
  q: Query,
  sight: Sight,
  { limit, after }: After,
): Promise<StoredProcedure[]> {
  const rows = await q.all<Joined>(sql`
    ${PROCEDURE}
    where procedure.cites is not null
      and procedure.no is not null
      and procedure.id > ${after}
      and ${isSeen(sight)}
    order by procedure.id
    limit ${limit}`);
  return rows.map(toProcedure);
}

export async function deleteProcedure(tx: Tx, id: string): Promise<void> {
  await procedures.delete(tx, withId(id));
}

/** How many there are, however many versions each has. */
export function countProcedures(q: Query, sight: Sight): Promise<number> {
  return countRows(
    q,
    sql`
    select count(*) as count
    from (
      select distinct procedure.scope_no, procedure.name
      from memory_procedures procedure
      join recall_scopes scope on scope.no = procedure.scope_no
      where ${isSeen(sight)}
    ) as named`,
  );
}
