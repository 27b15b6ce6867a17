import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import type { ScopeTags, Sight } from '../../../recall/scopes.ts';
import { positionOf, stretchOf } from '../../../recall/place.ts';
import type { FactDetail } from '../fact.ts';
import { isSeen } from './sight.ts';

type FactRow = {
  id: string;
  no: number;
  scope_no: number;
  title: string;
  content: string;
  tags: string;
  author: string;
  asserted: number;
  source: string;
  created_at: number;
  updated_at: number;
  valid_from: number;
  valid_to: number | null;
  superseded_by: string | null;
  supersedes: string | null;
  tenant: string;
  team: string;
  agent: string;
};

/** A fact as stored: what surfaces show, and where it is filed. */
export type StoredFact = FactDetail & Readonly<{ number: number; scope: number }>;

const FACT = sql.raw(`
  select fact.id, fact.no, fact.scope_no, fact.title, fact.content, fact.tags, fact.author, fact.asserted, fact.source,
    fact.created_at, fact.updated_at, fact.valid_from, fact.valid_to, fact.superseded_by, fact.supersedes,
    scope.tenant, scope.team, scope.agent
  from memory_facts fact
  join recall_scopes scope on scope.no = fact.scope_no`);

function toFact(row: FactRow): StoredFact {
  return {
    id: row.id,
    title: row.title,
    content: row.content,
    tags: JSON.parse(row.tags) as string[],
    scopeAgentId: row.agent === '' ? null : row.agent,
    scopeTeamId: row.team === '' ? null : row.team,
    tenantId: row.tenant === '' ? null : row.tenant,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    author: row.author,
    authorAsserted: row.asserted === 1,
    source: row.source,
    validFrom: row.valid_from,
    validTo: row.valid_to,
    supersededBy: row.superseded_by,
    supersedes: row.supersedes,
    episode: stretchOf(row.no),
    position: positionOf(row.no),
    number: row.no,
    scope: row.scope_no,
  };
}

export async function factById(q: Query, sight: Sight, id: string): Promise<StoredFact | undefined> {
  const row = await q.get<FactRow>(sql`
    ${FACT}
    where fact.id = ${id} and ${isSeen(sight)}`);
  return row && toFact(row);
}

export async function factByHash(q: Query, scope: number, hash: string): Promise<StoredFact | undefined> {
  const row = await q.get<FactRow>(sql`
    ${FACT}
    where fact.scope_no = ${scope} and fact.hash = ${hash} and fact.valid_to is null`);
  return row && toFact(row);
}

export async function factsByIds(q: Query, sight: Sight, ids: readonly string[]): Promise<StoredFact[]> {
  if (ids.length === 0) return [];
  const rows = await q.all<FactRow>(sql`
    ${FACT}
    where fact.id in ${sql.in(ids)} and ${isSeen(sight)}`);
  return rows.map(toFact);
}

export async function factsByNumbers(q: Query, sight: Sight, numbers: readonly number[]): Promise<StoredFact[]> {
  if (numbers.length === 0) return [];
  const rows = await q.all<FactRow>(sql`
    ${FACT}
    where fact.no in ${sql.in(numbers)} and ${isSeen(sight)}`);
  return rows.map(toFact);
}

/** Newest first. Ids are made in order of time, so they are the key to page by. */
export async function recentFacts(q: Query, sight: Sight, limit: number, before: string | undefined): Promise<StoredFact[]> {
  const rows = await q.all<FactRow>(sql`
    ${FACT}
    where ${isSeen(sight)}
      and fact.valid_to is null
      ${before === undefined ? sql.empty : sql`and fact.id < ${before}`}
    order by fact.id desc
    limit ${limit}`);
  return rows.map(toFact);
}

/** Oldest first, the past included: for export. */
export async function allFacts(q: Query, sight: Sight, limit: number, after: string): Promise<StoredFact[]> {
  const rows = await q.all<FactRow>(sql`
    ${FACT}
    where ${isSeen(sight)} and fact.id > ${after}
    order by fact.id
    limit ${limit}`);
  return rows.map(toFact);
}

export type NewFactRow = Readonly<{
  id: string;
  number: number;
  scope: number;
  title: string;
  content: string;
  tags: readonly string[];
  hash: string;
  source: string;
  validFrom: number;
  supersedes: string | null;
}>;

export async function insertFact(tx: Tx, filing: Omit<ScopeTags, 'space'>, fact: NewFactRow): Promise<StoredFact> {
  const tags = JSON.stringify(fact.tags);
  const asserted = tx.actor.asserted ? 1 : 0;
  await tx.run(sql`
    insert into memory_facts (id, no, scope_no, title, content, tags, hash, author, asserted, source, created_at, updated_at, valid_from, supersedes)
    values (${fact.id}, ${fact.number}, ${fact.scope}, ${fact.title}, ${fact.content}, ${tags}, ${fact.hash}, ${tx.actor.id}, ${asserted},
      ${fact.source}, ${tx.now}, ${tx.now}, ${fact.validFrom}, ${fact.supersedes})`);
  return toFact({
    ...fact,
    ...filing,
    no: fact.number,
    scope_no: fact.scope,
    tags,
    author: tx.actor.id,
    asserted,
    created_at: tx.now,
    updated_at: tx.now,
    valid_from: fact.validFrom,
    valid_to: null,
    superseded_by: null,
  });
}

/** Ends a fact's validity. Zero when it had ended already: of two that supersede at once, one wins. */
export async function endFact(tx: Tx, id: string, validTo: number): Promise<boolean> {
  const ended = await tx.run(sql`
    update memory_facts
    set valid_to = ${validTo}, updated_at = ${tx.now}
    where id = ${id} and valid_to is null`);
  return ended === 1;
}

export async function linkSuccessor(tx: Tx, id: string, successor: string): Promise<void> {
  await tx.run(sql`
    update memory_facts
    set superseded_by = ${successor}
    where id = ${id}`);
}

/** No other fact keeps pointing at what is gone. */
export async function deleteFact(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`
    update memory_facts
    set superseded_by = null
    where id in (select supersedes from memory_facts where id = ${id})`);
  await tx.run(sql`
    update memory_facts
    set supersedes = null
    where supersedes = ${id}`);
  await tx.run(sql`
    delete from memory_facts
    where id = ${id}`);
}

export async function countFacts(
  q: Query,
  sight: Sight,
): Promise<Readonly<{ current: number; past: number; oldest: number | null; newest: number | null }>> {
  const row = await q.get<{ current: number; past: number; oldest: number | null; newest: number | null }>(sql`
    select
      sum(case when fact.valid_to is null then 1 else 0 end) as current,
      sum(case when fact.valid_to is null then 0 else 1 end) as past,
      min(fact.created_at) as oldest,
      max(fact.created_at) as newest
    from memory_facts fact
    join recall_scopes scope on scope.no = fact.scope_no
    where ${isSeen(sight)}`);
  return { current: row?.current ?? 0, past: row?.past ?? 0, oldest: row?.oldest ?? null, newest: row?.newest ?? null };
}
