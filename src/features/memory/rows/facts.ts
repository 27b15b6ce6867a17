// SQL of facts. Read by key, then matched with the scopes in sight.
import { keptOrRead, WeighedMap } from '../../../kernel/kept.ts';
import { positionOf, scopeOf, scopesSeen, stretchOf } from '../../../recall/recall.ts';
import type { ScopeTags, Sight } from '../../../recall/recall.ts';
import type { Query, Tx } from '../../../store/database.ts';
import { type Sql, sql } from '../../../store/sql.ts';
import {
  flag,
  json,
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
import type { FactDetail } from '../fact.ts';
import { type After, hasTags, isSeen, shownScope } from './sight.ts';

const columns = {
  id: text(),
  title: text(),
  content: text(),
  tags: json<string[]>(),
  createdAt: number(),
  updatedAt: number(),
  author: text(),
  authorAsserted: named('asserted', flag()),
  source: text(),
  validFrom: number(),
  validTo: numberOrNull(),
  supersededBy: textOrNull(),
  supersedes: textOrNull(),
  cites: jsonOrNull<readonly StoredCite[]>(),
  confirmedBy: textOrNull(),
  confirmedAt: numberOrNull(),
  refutedBy: textOrNull(),
  refutedAt: numberOrNull(),
  refutedWhy: textOrNull(),
  number: named('no', number()),
  scope: named('scope_no', number()),
};
/**
 * Facts are read by key alone and then matched with the scopes in sight, because a join lets a planner begin with the
 * scope and read all of it. A fact whose scope is not in sight never becomes a StoredFact.
 */
const facts = table('memory_facts', columns);
type FactRow = Readonly<RecordOf<typeof columns>>;
/** Also what it says, as a digest: to compare, and to put one back. */
const hashed = table('memory_facts', { ...columns, hash: text() });
export type HashedFact = Readonly<RecordOf<typeof hashed.fields>>;

/** A fact as stored: what surfaces show, and where it is filed. */
export type StoredFact = Omit<FactDetail, keyof Standing> &
  Readonly<
    Pick<FactRow, 'cites' | 'confirmedBy' | 'confirmedAt' | 'refutedBy' | 'refutedAt' | 'refutedWhy'>
  > &
  Readonly<{ number: number; scope: number }>;

/** What surfaces are shown instead. */
type Standing = Pick<FactDetail, 'cites' | 'confirmed' | 'refuted' | 'holds'>;

async function seenOnly(q: Query, sight: Sight, rows: readonly FactRow[]): Promise<StoredFact[]> {
  if (rows.length === 0) return [];
  return matchScopes(rows, await scopesSeen(q, sight, [...new Set(rows.map((row) => row.scope))]));
}

function matchScopes(rows: readonly FactRow[], scopes: Awaited<ReturnType<typeof scopesSeen>>): StoredFact[] {
  const tags = new Map(scopes.map((scope) => [scope.no, scope]));
  return rows.flatMap((row) => {
    const filed = tags.get(row.scope);
    return filed ? [toFact(row, filed)] : [];
  });
}

function toFact({ id, title, content, tags, ...rest }: FactRow, filed: Omit<ScopeTags, 'space'>): StoredFact {
  const [episode, position] = [stretchOf(rest.number), positionOf(rest.number)];
  return { id, title, content, tags, ...shownScope(filed), ...rest, episode, position };
}

const withId = (id: string): Sql => sql`where id = ${id}`;

export async function factById(q: Query, sight: Sight, id: string): Promise<StoredFact | undefined> {
  const row = await facts.find(q, withId(id));
  return row && (await seenOnly(q, sight, [row]))[0];
}

export async function factsByIds(q: Query, sight: Sight, ids: readonly string[]): Promise<StoredFact[]> {
  return seenOnly(q, sight, await facts.list(q, sql`where id in ${sql.in(ids)}`));
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
    where ${hasTags(tags)}`);
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
    where ${hasTags(tags)}
    order by fact.id desc`);
}

const digests = hashed.only('id', 'hash');

/** What each of these facts says, as a digest. */
export async function hashesById(q: Query, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await digests.list(q, sql`where id in ${sql.in(ids)}`);
  return new Map(rows.map((row) => [row.id, row.hash]));
}

export async function factsByNumbers(
  q: Query,
  sight: Sight,
  numbers: readonly number[],
): Promise<StoredFact[]> {
  // A number says its scope, so both statements go to the server together.
  const [rows, scopes] = await Promise.all([
    facts.list(q, sql`where no ${q.dialect.isOneOf(numbers)}`),
    scopesSeen(q, sight, [...new Set(numbers.map(scopeOf))]),
  ]);
  return matchScopes(rows, scopes);
}

/** What an answer shows of a fact, and what tells how it stands. */
const shown = facts.only(
  'id',
  'title',
  'content',
  'tags',
  'createdAt',
  'updatedAt',
  'author',
  'validFrom',
  'validTo',
  'cites',
  'confirmedBy',
  'confirmedAt',
  'number',
  'scope',
);
export type ShownFact = Readonly<RecordOf<typeof shown.fields>> & ReturnType<typeof shownScope>;

/** The same for a search, which shows less and happens most. */
export async function shownByNumbers(
  q: Query,
  sight: Sight,
  numbers: readonly number[],
): Promise<ShownFact[]> {
  const asked = scopesSeen(q, sight, [...new Set(numbers.map(scopeOf))]);
  asked.catch(() => undefined);
  const kept = await q.kept('shown facts', keepShown);
  const found = await keptOrRead(kept, numbers, async (missing) => {
    const [rows, scopes] = await Promise.all([
      shown.list(q, sql`where no ${q.dialect.isOneOf(missing)}`),
      asked,
    ]);
    const tags = new Map(scopes.map((scope) => [scope.no, shownScope(scope)]));
    return rows.flatMap((row) => {
      const filed = tags.get(row.scope);
      return filed ? [[row.number, Object.assign(row, filed)] as const] : [];
    });
  });
  // Whoever asked before may have seen more.
  const seen = new Set((await asked).map((scope) => scope.no));
  return found.filter((fact) => seen.has(fact.scope));
}

const MOST_LETTERS = 500_000;
const keepShown = () =>
  Promise.resolve(
    new WeighedMap<number, ShownFact>(
      MOST_LETTERS,
      ({ title, content }) => 500 + title.length + content.length,
    ),
  );

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
    const newest = sql`
      where scope_no = ${no} and valid_to is null and id < ${page.before}
      order by id desc
      limit ${page.limit}`;
    found.push(...(await facts.list(q, newest)));
  }
  const newest = found.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, page.limit);
  return seenOnly(q, sight, newest);
}

async function walkFacts(q: Query, sight: Sight, { limit, before }: FactPage): Promise<StoredFact[]> {
  const found: StoredFact[] = [];
  for (let last = before; found.length < limit;) {
    const rows = await facts.list(q, sql`where valid_to is null and id < ${last} order by id desc limit 500`);
    found.push(...(await seenOnly(q, sight, rows)));
    if (rows.length < 500) break;
    last = rows.at(-1)!.id;
  }
  return found.slice(0, limit);
}

/** What holds and cites something, oldest first. */
export async function citingFacts(
  q: Query,
  sight: Sight,
  { limit, after }: After,
): Promise<Readonly<{ facts: StoredFact[]; last: string | undefined }>> {
  const rows = await facts.list(
    q,
    sql`where cites is not null and valid_to is null and id > ${after} order by id limit ${limit}`,
  );
  return { facts: await seenOnly(q, sight, rows), last: rows.length < limit ? undefined : rows.at(-1)!.id };
}

/** What was refuted since, newest first. */
export async function refutedFacts(
  q: Query,
  sight: Sight,
  { since, most }: Readonly<{ since: number; most: number }>,
): Promise<StoredFact[]> {
  const rows = await facts.list(
    q,
    sql`where refuted_at is not null and refuted_at > ${since} order by refuted_at desc limit 500`,
  );
  return (await seenOnly(q, sight, rows)).slice(0, most);
}

/** When those of these facts that were refuted were, whoever may see them. */
export async function refutedAmong(q: Query, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await q.all<{ id: string; at: number }>(
    sql`select id, refuted_at as at from memory_facts where id ${q.dialect.isOneOfTexts(ids)} and refuted_at is not null`,
  );
  return new Map(rows.map(({ id, at }) => [id, at]));
}

/** Facts that hold and say exactly this, wherever they are filed. */
export async function copiesOf(q: Query, sight: Sight, hash: string): Promise<StoredFact[]> {
  const scopes = await scopesSeen(q, sight);
  const found: FactRow[] = [];
  for (const { no } of scopes)
    found.push(...(await facts.list(q, sql`where scope_no = ${no} and hash = ${hash} and valid_to is null`)));
  return matchScopes(found, scopes);
}

/** Oldest first, the past included. `last` is where to go on, also when nothing of the page was in sight. */
export async function allFacts(
  q: Query,
  sight: Sight,
  { limit, after }: After,
): Promise<Readonly<{ facts: StoredFact[]; last: string | undefined }>> {
  const rows = await facts.list(q, sql`where id > ${after} order by id limit ${limit}`);
  return { facts: await seenOnly(q, sight, rows), last: rows.length < limit ? undefined : rows.at(-1)!.id };
}

type NewFactRow = Readonly<
  Pick<
    HashedFact,
    | 'id'
    | 'number'
    | 'scope'
    | 'title'
    | 'content'
    | 'tags'
    | 'hash'
    | 'source'
    | 'validFrom'
    | 'supersedes'
    | 'cites'
  >
>;

const UNJUDGED = { confirmedBy: null, confirmedAt: null, refutedBy: null, refutedAt: null, refutedWhy: null };

export async function insertFact(
  tx: Tx,
  filing: Omit<ScopeTags, 'space'>,
  { hash, ...fact }: NewFactRow,
): Promise<StoredFact> {
  const row = {
    ...fact,
    author: tx.actor.id,
    authorAsserted: tx.actor.asserted,
    createdAt: tx.now,
    updatedAt: tx.now,
    validTo: null,
    supersededBy: null,
    ...UNJUDGED,
  };
  await hashed.insert(tx, { ...row, hash });
  return toFact(row, filing);
}

/** The oldest of a scope, the past included, held until the transaction ends. */
export function oldestOf(tx: Tx, scope: number, most: number): Promise<HashedFact[]> {
  return hashed.list(tx, sql`where scope_no = ${scope} order by id limit ${most} ${tx.dialect.forUpdate}`);
}

/** Where it stands from now on, and what becomes of it there. */
export async function moveFact(
  tx: Tx,
  id: string,
  place: Pick<FactRow, 'number' | 'scope'> & Partial<Pick<FactRow, 'validTo' | 'supersededBy'>>,
): Promise<void> {
  await facts.update(tx, place, withId(id));
}

/** The row as it stands, which is kept for who may want it back; and what is read from one that was kept. */
export function storedFact(q: Query, id: string): Promise<StoredRow | undefined> {
  return q.get(sql`select ${hashed.columns} from memory_facts ${withId(id)}`);
}

export const readKeptFact = (kept: StoredRow): HashedFact => hashed.read(kept);

export function putBackFact(tx: Tx, fact: HashedFact): Promise<void> {
  return hashed.insert(tx, fact);
}

/** Who saved something first and when, for what came from another hub. Who brought it is in the events. */
export type FirstSaved = Pick<StoredFact, 'author' | 'authorAsserted' | 'createdAt'>;

type Links = Pick<StoredFact, 'supersededBy' | 'supersedes'>;

/** Who said what about it, and what it cites. */
type Judged = Pick<
  FactRow,
  'cites' | 'confirmedBy' | 'confirmedAt' | 'refutedBy' | 'refutedAt' | 'refutedWhy'
>;

export async function changeFact(
  tx: Tx,
  id: string,
  change: Partial<FirstSaved & Links & Judged>,
): Promise<void> {
  await facts.update(tx, change, withId(id));
}

/** Ends a fact's validity. Zero when it had ended already: of two that supersede at once, one wins. */
export async function endFact(tx: Tx, id: string, validTo: number): Promise<boolean> {
  const still = sql`where id = ${id} and valid_to is null`;
  return (await facts.update(tx, { validTo, updatedAt: tx.now }, still)) === 1;
}

/** No other fact keeps pointing at what is gone. */
export async function deleteFact(tx: Tx, id: string): Promise<void> {
  const earlier = sql`where id in (select supersedes from memory_facts where id = ${id})`;
  await facts.update(tx, { supersededBy: null }, earlier);
  await facts.update(tx, { supersedes: null }, sql`where supersedes = ${id}`);
  await facts.delete(tx, withId(id));
}

type FactCounts = Readonly<{ current: number; past: number; oldest: number | null; newest: number | null }>;

export async function countFacts(q: Query, sight: Sight): Promise<FactCounts> {
  const row = await q.get<FactCounts>(sql`
    select
      coalesce(sum(case when fact.valid_to is null then 1 else 0 end), 0) as current,
      coalesce(sum(case when fact.valid_to is null then 0 else 1 end), 0) as past,
      min(fact.created_at) as oldest,
      max(fact.created_at) as newest
    from memory_facts fact
    join recall_scopes scope on scope.no = fact.scope_no
    where ${isSeen(sight)}`);
  return row!;
}
