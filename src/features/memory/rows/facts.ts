// SQL of facts. Read by key, then matched with the scopes in sight.
import { positionOf, scopeOf, scopesSeen, stretchOf } from '../../../recall/recall.ts';
import type { ScopeTags, Sight } from '../../../recall/recall.ts';
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import type { FactDetail } from '../fact.ts';
import { type After, isSeen } from './sight.ts';

/** As the table has it. */
export type FactRow = {
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
};

/** A fact as stored: what surfaces show, and where it is filed. */
export type StoredFact = FactDetail & Readonly<{ number: number; scope: number }>;

/**
 * Facts are read by key alone and then matched with the scopes in sight, because a join lets a planner begin with the
 * scope and read all of it. A fact whose scope is not in sight never becomes a StoredFact.
 */
const FACT = sql.raw(`
  select id, no, scope_no, title, content, tags, author, asserted, source, created_at, updated_at, valid_from, valid_to, superseded_by, supersedes
  from memory_facts`);

async function seenOnly(q: Query, sight: Sight, rows: readonly FactRow[]): Promise<StoredFact[]> {
  if (rows.length === 0) return [];
  return matchScopes(rows, await scopesSeen(q, sight, [...new Set(rows.map((row) => row.scope_no))]));
}

function matchScopes(rows: readonly FactRow[], scopes: Awaited<ReturnType<typeof scopesSeen>>): StoredFact[] {
  const tags = new Map(scopes.map((scope) => [scope.no, scope]));
  return rows.flatMap((row) => {
    const filed = tags.get(row.scope_no);
    return filed ? [toFact(row, filed)] : [];
  });
}

function toFact(row: FactRow, { tenant, team, agent }: Omit<ScopeTags, 'space'>): StoredFact {
  return {
    id: row.id,
    title: row.title,
    content: row.content,
    tags: JSON.parse(row.tags) as string[],
    scopeAgentId: agent === '' ? null : agent,
    scopeTeamId: team === '' ? null : team,
    tenantId: tenant === '' ? null : tenant,
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
    where id = ${id}`);
  return row && (await seenOnly(q, sight, [row]))[0];
}

export async function factsByIds(q: Query, sight: Sight, ids: readonly string[]): Promise<StoredFact[]> {
  const rows = await q.all<FactRow>(sql`
    ${FACT}
    where id in ${sql.in(ids)}`);
  return seenOnly(q, sight, rows);
}

/** Where facts of these tags are filed, and the one that says exactly this already. Undefined: nothing was ever filed there. */
export function findFiling(
  q: Query,
  tags: ScopeTags,
  hash: string,
): Promise<Readonly<{ scope: number; known: string | null }> | undefined> {
  return q.get<{ scope: number; known: string | null }>(sql`
    select scope.no as scope, fact.id as known
    from recall_scopes scope
    left join memory_facts fact on fact.scope_no = scope.no and fact.hash = ${hash} and fact.valid_to is null
    where scope.space = ${tags.space}
      and scope.tenant = ${tags.tenant}
      and scope.team = ${tags.team}
      and scope.agent = ${tags.agent}`);
}

/** The fact of a scope that says exactly this and still holds. */
export async function holding(q: Query, scope: number, hash: string): Promise<string | undefined> {
  const row = await q.get<{ id: string }>(sql`
    select id
    from memory_facts
    where scope_no = ${scope} and hash = ${hash} and valid_to is null`);
  return row?.id;
}

export type PastVersion = Readonly<{ id: string; validTo: number; supersededBy: string | null }>;

/** The versions with exactly this text and these tags that no longer hold, newest first. */
export function pastVersions(q: Query, tags: ScopeTags, hash: string): Promise<PastVersion[]> {
  return q.all<PastVersion>(sql`
    select fact.id as id, fact.valid_to as "validTo", fact.superseded_by as "supersededBy"
    from recall_scopes scope
    join memory_facts fact on fact.scope_no = scope.no and fact.hash = ${hash} and fact.valid_to is not null
    where scope.space = ${tags.space}
      and scope.tenant = ${tags.tenant}
      and scope.team = ${tags.team}
      and scope.agent = ${tags.agent}
    order by fact.id desc`);
}

/** What each of these facts says, as a digest. */
export async function hashesById(q: Query, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await q.all<{ id: string; hash: string }>(sql`
    select id, hash
    from memory_facts
    where id in ${sql.in(ids)}`);
  return new Map(rows.map((row) => [row.id, row.hash]));
}

export async function factsByNumbers(
  q: Query,
  sight: Sight,
  numbers: readonly number[],
): Promise<StoredFact[]> {
  // A number says its scope, so both statements go to the server together.
  const [rows, scopes] = await Promise.all([
    q.all<FactRow>(sql`
      ${FACT}
      where no ${q.dialect.isOneOf(numbers)}`),
    scopesSeen(q, sight, [...new Set(numbers.map(scopeOf))]),
  ]);
  return matchScopes(rows, scopes);
}

/** Those of the numbers whose facts held at that moment. */
export async function heldAt(q: Query, numbers: readonly number[], at: number): Promise<Set<number>> {
  const rows = await q.all<{ no: number }>(sql`
    select no
    from memory_facts
    where no ${q.dialect.isOneOf(numbers)}
      and valid_from <= ${at}
      and (valid_to is null or valid_to > ${at})`);
  return new Set(rows.map((row) => row.no));
}

/** Few enough to ask each for its newest; beyond that it is cheaper to walk through all facts, newest first. */
const FEW_SCOPES = 8;

export type FactPage = Readonly<{ limit: number; before: string }>;

/** What holds now, newest first. Ids are made in order of time, so they are the key to page by. */
export async function recentFacts(q: Query, sight: Sight, page: FactPage): Promise<StoredFact[]> {
  const scopes = await scopesSeen(q, sight);
  if (scopes.length > FEW_SCOPES) return walkFacts(q, sight, page);
  const found: FactRow[] = [];
  for (const { no } of scopes) {
    found.push(
      ...(await q.all<FactRow>(sql`
        ${FACT}
        where scope_no = ${no} and valid_to is null and id < ${page.before}
        order by id desc
        limit ${page.limit}`)),
    );
  }
  const newest = found.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, page.limit);
  return seenOnly(q, sight, newest);
}

async function walkFacts(q: Query, sight: Sight, { limit, before }: FactPage): Promise<StoredFact[]> {
  const found: StoredFact[] = [];
  for (let last = before; found.length < limit;) {
    const rows = await q.all<FactRow>(sql`
      ${FACT}
      where valid_to is null and id < ${last}
      order by id desc
      limit 500`);
    found.push(...(await seenOnly(q, sight, rows)));
    if (rows.length < 500) break;
    last = rows.at(-1)!.id;
  }
  return found.slice(0, limit);
}

/** Oldest first, the past included. `last` is where to go on, also when nothing of the page was in sight. */
export async function allFacts(
  q: Query,
  sight: Sight,
  { limit, after }: After,
): Promise<Readonly<{ facts: StoredFact[]; last: string | undefined }>> {
  const rows = await q.all<FactRow>(sql`
    ${FACT}
    where id > ${after}
    order by id
    limit ${limit}`);
  return { facts: await seenOnly(q, sight, rows), last: rows.length < limit ? undefined : rows.at(-1)!.id };
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

export async function insertFact(
  tx: Tx,
  filing: Omit<ScopeTags, 'space'>,
  fact: NewFactRow,
): Promise<StoredFact> {
  const tags = JSON.stringify(fact.tags);
  const asserted = tx.actor.asserted ? 1 : 0;
  await tx.run(sql`
    insert into memory_facts (id, no, scope_no, title, content, tags, hash, author, asserted, source, created_at, updated_at, valid_from, supersedes)
    values (${fact.id}, ${fact.number}, ${fact.scope}, ${fact.title}, ${fact.content}, ${tags}, ${fact.hash}, ${tx.actor.id}, ${asserted},
      ${fact.source}, ${tx.now}, ${tx.now}, ${fact.validFrom}, ${fact.supersedes})`);
  const row = { ...fact, no: fact.number, scope_no: fact.scope, tags, author: tx.actor.id, asserted };
  const times = {
    created_at: tx.now,
    updated_at: tx.now,
    valid_from: fact.validFrom,
    valid_to: null,
    superseded_by: null,
  };
  return toFact({ ...row, ...times }, filing);
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

/** A fact that was there already takes the place of another. */
export async function linkPredecessor(tx: Tx, id: string, predecessor: string): Promise<void> {
  await tx.run(sql`
    update memory_facts
    set supersedes = ${predecessor}
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
  const row = await q.get<{
    current: number;
    past: number;
    oldest: number | null;
    newest: number | null;
  }>(sql`
    select
      sum(case when fact.valid_to is null then 1 else 0 end) as current,
      sum(case when fact.valid_to is null then 0 else 1 end) as past,
      min(fact.created_at) as oldest,
      max(fact.created_at) as newest
    from memory_facts fact
    join recall_scopes scope on scope.no = fact.scope_no
    where ${isSeen(sight)}`);
  return {
    current: row?.current ?? 0,
    past: row?.past ?? 0,
    oldest: row?.oldest ?? null,
    newest: row?.newest ?? null,
  };
}
