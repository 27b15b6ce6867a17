// SQL of what a person has forgotten and may still take back. Nothing but `../withheld.ts` reads this table.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import type { FactRow } from './facts.ts';

/** A fact as its row was, without its place in the index: that is made anew. */
export type KeptFact = Readonly<Omit<FactRow, 'no' | 'scope_no'> & { hash: string }>;

export function factRow(q: Query, id: string): Promise<KeptFact | undefined> {
  return q.get<KeptFact>(sql`
    select id, title, content, tags, hash, author, asserted, source, created_at, updated_at, valid_from, valid_to,
      superseded_by, supersedes
    from memory_facts
    where id = ${id}`);
}

export async function putBackFact(
  tx: Tx,
  fact: KeptFact,
  place: Readonly<{ number: number; scope: number }>,
): Promise<void> {
  await tx.run(sql`
    insert into memory_facts (id, no, scope_no, title, content, tags, hash, author, asserted, source, created_at,
      updated_at, valid_from, valid_to, superseded_by, supersedes)
    values (${fact.id}, ${place.number}, ${place.scope}, ${fact.title}, ${fact.content}, ${fact.tags}, ${fact.hash},
      ${fact.author}, ${fact.asserted}, ${fact.source}, ${fact.created_at}, ${fact.updated_at}, ${fact.valid_from},
      ${fact.valid_to}, ${fact.superseded_by}, ${fact.supersedes})`);
}

export type KeptProcedure = Readonly<{
  id: string;
  name: string;
  version: number;
  content: string;
  author: string;
  asserted: number;
  source: string;
  created_at: number;
}>;

export function procedureRow(q: Query, id: string): Promise<KeptProcedure | undefined> {
  return q.get<KeptProcedure>(sql`
    select id, name, version, content, author, asserted, source, created_at
    from memory_procedures
    where id = ${id}`);
}

export async function putBackProcedure(tx: Tx, one: KeptProcedure, scope: number): Promise<void> {
  await tx.run(sql`
    insert into memory_procedures (id, scope_no, name, version, content, author, asserted, source, created_at)
    values (${one.id}, ${scope}, ${one.name}, ${one.version}, ${one.content}, ${one.author}, ${one.asserted}, ${one.source}, ${one.created_at})`);
}

export type WithheldRow = Readonly<{
  id: string;
  scope_no: number;
  kind: 'fact' | 'procedure';
  entry: string;
  at: number;
  until: number;
}>;

export async function withholdRow(tx: Tx, row: WithheldRow): Promise<void> {
  await tx.run(sql`
    insert into memory_withheld (id, scope_no, kind, entry, at, until)
    values (${row.id}, ${row.scope_no}, ${row.kind}, ${row.entry}, ${row.at}, ${row.until})`);
}

export function withheldRow(q: Query, id: string): Promise<WithheldRow | undefined> {
  return q.get<WithheldRow>(sql`
    select id, scope_no, kind, entry, at, until
    from memory_withheld
    where id = ${id}`);
}

/** Without what they say: ids and times alone. */
export function listWithheldRows(q: Query, now: number): Promise<Omit<WithheldRow, 'entry' | 'scope_no'>[]> {
  return q.all(sql`
    select id, kind, at, until
    from memory_withheld
    where until > ${now}
    order by at desc, id
    limit 200`);
}

export function dueRows(q: Query, now: number, most: number): Promise<WithheldRow[]> {
  return q.all<WithheldRow>(sql`
    select id, scope_no, kind, entry, at, until
    from memory_withheld
    where until <= ${now}
    order by until
    limit ${most}`);
}

export async function dropWithheld(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`
    delete from memory_withheld
    where id = ${id}`);
}
