// SQL of procedures and their numbered versions.

import type { Sight } from '../../../recall/recall.ts';
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import type { Procedure } from '../fact.ts';
import { type After, isSeen } from './sight.ts';

type ProcedureRow = {
  id: string;
  name: string;
  version: number;
  content: string;
  created_at: number;
  author: string;
  source: string;
  tenant: string;
  team: string;
  agent: string;
};

/** With where it came from. */
export type ProcedureVersion = Procedure & Readonly<{ author: string; source: string }>;

function toProcedure(row: ProcedureRow): Procedure {
  return {
    id: row.id,
    name: row.name,
    version: row.version,
    content: row.content,
    scopeAgentId: row.agent === '' ? null : row.agent,
    scopeTeamId: row.team === '' ? null : row.team,
    tenantId: row.tenant === '' ? null : row.tenant,
    createdAt: row.created_at,
  };
}

const PROCEDURE = sql.raw(`
  select procedure.id, procedure.name, procedure.version, procedure.content, procedure.created_at,
    procedure.author, procedure.source, scope.tenant, scope.team, scope.agent
  from memory_procedures procedure
  join recall_scopes scope on scope.no = procedure.scope_no`);

/** In exactly this scope, whoever asks. */
export function newestVersion(
  tx: Tx,
  scope: number,
  name: string,
): Promise<Readonly<{ id: string; version: number; content: string }> | undefined> {
  return tx.get(sql`
    select id, version, content
    from memory_procedures
    where scope_no = ${scope} and name = ${name}
    order by version desc
    limit 1`);
}

export type NewProcedureRow = Readonly<{
  id: string;
  scope: number;
  name: string;
  version: number;
  content: string;
  source: string;
}>;

export async function insertProcedure(tx: Tx, row: NewProcedureRow): Promise<void> {
  await tx.run(sql`
    insert into memory_procedures (id, scope_no, name, version, content, author, asserted, source, created_at)
    values (${row.id}, ${row.scope}, ${row.name}, ${row.version}, ${row.content}, ${tx.actor.id}, ${tx.actor.asserted ? 1 : 0}, ${row.source}, ${tx.now})`);
}

/** Every version of that name in sight: the most private scope first, then the newest version. */
export async function proceduresByName(q: Query, sight: Sight, name: string): Promise<Procedure[]> {
  const rows = await q.all<ProcedureRow>(sql`
    ${PROCEDURE}
    where procedure.name = ${name} and ${isSeen(sight)}
    order by scope.agent desc, scope.team desc, procedure.version desc`);
  return rows.map(toProcedure);
}

export async function procedureById(q: Query, sight: Sight, id: string): Promise<Procedure | undefined> {
  const row = await q.get<ProcedureRow>(sql`
    ${PROCEDURE}
    where procedure.id = ${id} and ${isSeen(sight)}`);
  return row && toProcedure(row);
}

export type NumberedProcedure = Readonly<{ number: number; procedure: Procedure }>;

export async function proceduresByNumbers(
  q: Query,
  sight: Sight,
  numbers: readonly number[],
): Promise<NumberedProcedure[]> {
  const rows = await q.all<ProcedureRow & { no: number }>(sql`
    select procedure.no, procedure.id, procedure.name, procedure.version, procedure.content, procedure.created_at,
      procedure.author, procedure.source, scope.tenant, scope.team, scope.agent
    from memory_procedures procedure
    join recall_scopes scope on scope.no = procedure.scope_no
    where procedure.no ${q.dialect.isOneOf(numbers)} and ${isSeen(sight)}`);
  return rows.map((row) => ({ number: row.no, procedure: toProcedure(row) }));
}

/** Where the versions of a procedure are filed in recall: the newest, as a rule. */
export async function filedNumbers(q: Query, scope: number, name: string): Promise<number[]> {
  const rows = await q.all<{ no: number }>(sql`
    select no
    from memory_procedures
    where scope_no = ${scope} and name = ${name} and no is not null`);
  return rows.map((row) => row.no);
}

export async function unfile(tx: Tx, scope: number, name: string): Promise<void> {
  await tx.run(sql`
    update memory_procedures
    set no = null
    where scope_no = ${scope} and name = ${name} and no is not null`);
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

type UnfiledVersion = Readonly<{ id: string; scope: number; name: string; content: string }>;

/** Newest versions that recall does not know. */
export function unfiledVersions(q: Query, limit: number): Promise<UnfiledVersion[]> {
  return q.all<UnfiledVersion>(sql`
    select procedure.id as id, procedure.scope_no as scope, procedure.name as name, procedure.content as content
    from memory_procedures procedure
    where procedure.no is null
      and ${IS_LATEST}
    order by procedure.id
    limit ${limit}`);
}

/** Of which procedure this is a version. */
export function identityOf(
  q: Query,
  id: string,
): Promise<Readonly<{ scope: number; name: string }> | undefined> {
  return q.get<{ scope: number; name: string }>(sql`
    select scope_no as scope, name
    from memory_procedures
    where id = ${id}`);
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
): Promise<Procedure[]> {
  const rows = await q.all<ProcedureRow>(sql`
    ${PROCEDURE}
    where ${isSeen(sight)}
      and procedure.name > ${after}
      and ${IS_LATEST}
    order by procedure.name, scope.agent desc, scope.team desc
    limit ${limit}`);
  return rows.map(toProcedure);
}

/** Every version for an export, oldest first, by id: a name may stand in several scopes, so it is no place to cut a page. */
export async function allProcedures(
  q: Query,
  sight: Sight,
  { limit, after }: After,
): Promise<ProcedureVersion[]> {
  const rows = await q.all<ProcedureRow>(sql`
    ${PROCEDURE}
    where ${isSeen(sight)}
      and procedure.id > ${after}
    order by procedure.id
    limit ${limit}`);
  return rows.map((row) => ({ ...toProcedure(row), author: row.author, source: row.source }));
}

export async function deleteProcedure(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`
    delete from memory_procedures
    where id = ${id}`);
}

/** How many there are, however many versions each has. */
export async function countProcedures(q: Query, sight: Sight): Promise<number> {
  const row = await q.get<{ count: number }>(sql`
    select count(*) as count
    from (
      select distinct procedure.scope_no, procedure.name
      from memory_procedures procedure
      join recall_scopes scope on scope.no = procedure.scope_no
      where ${isSeen(sight)}
    ) as named`);
  return row!.count;
}
