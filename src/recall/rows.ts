import { HubError } from '../kernel/errors.ts';
import type { Query, Tx } from '../store/database.ts';
import { sql, type Sql } from '../store/sql.ts';
import { flag, number, type RecordOf, table, text } from '../store/table.ts';
import type { Fingerprints } from './near-duplicates.ts';
import { SCOPE_SIZE } from './place.ts';
import type { ScopeTags, Sight } from './scopes.ts';

/** Which reading of texts this code makes. A higher number has everything read again, in the background. */
const ANALYSIS = 4;

/** A tag that was given matches itself and "none"; a tag that was not given matches everything. The space always counts. */
function isSeen(sight: Sight): Sql {
  return sql`space = ${sight.space} and ${tagsSeen(sight)}`;
}

export function tagsSeen(sight: Omit<Sight, 'space'>): Sql {
  return sql`
    true
    ${sight.tenant === undefined ? sql.empty : sql`and tenant = ${sight.tenant}`}
    ${sight.team === undefined ? sql.empty : sql`and team in ('', ${sight.team})`}
    ${sight.agent === undefined ? sql.empty : sql`and agent in ('', ${sight.agent})`}`;
}

const tags = { space: text(), tenant: text(), team: text(), agent: text() };
const scopes = table('recall_scopes', { no: number(), ...tags, stretches: number() });
export type ScopeRow = Readonly<RecordOf<typeof scopes.fields>>;

/** The scopes in sight; `among` asks only about these. */
export function scopesSeen(q: Query, sight: Sight, among?: readonly number[]): Promise<readonly ScopeRow[]> {
  const isAsked = among === undefined ? sql.empty : sql`and no ${q.dialect.isOneOf(among)}`;
  return q.kept(`scopes ${keyOf(sight)} ${among?.join() ?? 'all'}`, () =>
    scopes.list(q, sql`where ${isSeen(sight)} ${isAsked} order by no`),
  );
}

export type CountedScope = Readonly<{ no: number; stretches: number; items: number; terms: number }>;

/** The scopes in sight and how much is in each, in one step: on PostgreSQL the way there and back is what costs. */
export function scopesCounted(q: Query, sight: Sight): Promise<readonly CountedScope[]> {
  return q.kept(`counted scopes ${keyOf(sight)}`, () =>
    q.all<CountedScope>(sql`
    select no, stretches, cast(coalesce(sum(counts.items), 0) as bigint) as items, cast(coalesce(sum(counts.terms), 0) as bigint) as terms
    from recall_scopes
    left join recall_counts counts on counts.scope_no = recall_scopes.no
    where ${isSeen(sight)}
    group by no, stretches
    order by no`),
  );
}

/** Two sights have one key only if they see the same. */
const keyOf = ({ space, tenant, team, agent }: Sight): string => JSON.stringify([space, tenant, team, agent]);

const numbers = scopes.only('no');
const tagged = table('recall_scopes', tags);

/** Finds the scope with exactly these tags, making it when it is new. */
export async function ensureScope(tx: Tx, wanted: ScopeTags): Promise<number> {
  const { space, tenant, team, agent } = wanted;
  const isIt = sql`where space = ${space} and tenant = ${tenant} and team = ${team} and agent = ${agent}`;
  const known = await numbers.find(tx, isIt);
  if (known) return known.no;
  await tx.run(sql`insert into recall_scopes ${tagged.values(wanted)} on conflict do nothing`);
  const made = await numbers.find(tx, isIt);
  if (!made) throw new HubError('internal', 'A memory scope vanished while it was made.');
  return made.no;
}

const counts = table('recall_counts', {
  scopeNo: number(),
  shard: number(),
  items: number(),
  terms: number(),
});

export async function countItem(
  tx: Tx,
  { scope, shard }: Readonly<{ scope: number; shard: number }>,
  change: Readonly<{ items: number; terms: number }>,
): Promise<void> {
  await tx.run(sql`
    insert into recall_counts ${counts.values({ scopeNo: scope, shard, ...change })}
    on conflict (scope_no, shard) do update
    set items = recall_counts.items + excluded.items,
        terms = recall_counts.terms + excluded.terms`);
}

const episodes = table('recall_episodes', {
  scopeNo: number(),
  key: text(),
  stretch: number(),
  size: number(),
  lastAt: number(),
});
const grown = episodes.only('stretch', 'size');

type EpisodeKey = Readonly<{ scope: number; key: string }>;
export type EpisodeRow = Readonly<RecordOf<typeof grown.fields>>;

/** Takes the next position of a running episode, in one statement. Undefined when a new stretch has to begin. */
export function growEpisode(
  tx: Tx,
  { scope, key }: EpisodeKey,
  runs: Readonly<{ since: number; below: number }>,
): Promise<EpisodeRow | undefined> {
  return grown.get(
    tx,
    sql`
    update recall_episodes
    set size = size + 1, last_at = ${tx.now}
    where scope_no = ${scope}
      and key = ${key}
      and size < ${runs.below}
      and last_at >= ${runs.since}
    returning ${grown.columns}`,
  );
}

export async function startStretch(tx: Tx, { scope, key }: EpisodeKey): Promise<number> {
  const row = await tx.get<{ stretches: number }>(sql`
    update recall_scopes
    set stretches = stretches + 1
    where no = ${scope}
    returning stretches`);
  const stretch = row!.stretches;
  await episodes.put(tx, { scopeNo: scope, key, stretch, size: 1, lastAt: tx.now }, ['scopeNo', 'key']);
  return stretch;
}

const columns = {
  no: number(),
  id: text(),
  terms: text(),
  marks: text(),
  length: number(),
  flags: number(),
  day: text(),
  isPast: flag(),
};
const items = table('recall_items', columns);
const analysed = table('recall_items', { ...columns, analysis: number() });
export type ItemRow = Readonly<RecordOf<typeof columns>>;
export type ReadItem = Omit<ItemRow, 'isPast'>;

const isItem = (no: number): Sql => sql`where no = ${no}`;

export async function insertItem(tx: Tx, item: ReadItem, words: readonly string[]): Promise<void> {
  const extra = tx.dialect.words.column(words);
  const own = analysed.params({ ...item, isPast: false, analysis: ANALYSIS }).map((param) => sql`${param}`);
  await tx.run(sql`
    insert into recall_items (${analysed.columns}${extra.name})
    values (${sql.join(own, ', ')}${extra.value})`);
  await tx.dialect.words.add(tx, item.no, words);
}

export function itemByNumber(q: Query, no: number): Promise<ItemRow | undefined> {
  return items.find(q, isItem(no));
}

const contexts = items.only('no', 'id', 'terms', 'length', 'flags', 'day');
export type ContextRow = Readonly<RecordOf<typeof contexts.fields>>;

export function contextByNumber(
  q: Query,
  wanted: readonly number[],
  isPastToo: boolean,
): Promise<ContextRow[]> {
  const isWanted = isPastToo ? sql.empty : sql`and is_past = 0`;
  return contexts.list(q, sql`where no ${q.dialect.isOneOf(wanted)} ${isWanted}`);
}

/**
 * Leaves an item's fingerprints and answers with the items that left the same ones before. Those are kept: they are so
 * rarely shared by chance that the first is as good as all. Nearly always both are new, and one statement is enough.
 */
export async function addFingerprints(
  tx: Tx,
  number: number,
  [first, second]: Fingerprints,
): Promise<number[]> {
  const left = await tx.run(sql`
    insert into recall_near_duplicates (key, no)
    values (${first}, ${number}), (${second}, ${number})
    on conflict (key) do nothing`);
  if (left === 2) return [];
  const owners = await tx.all<{ no: number }>(sql`
    select no
    from recall_near_duplicates
    where key in (${first}, ${second}) and no <> ${number}`);
  return [...new Set(owners.map((row) => row.no))];
}

export async function removeFingerprints(
  tx: Tx,
  number: number,
  [first, second]: Fingerprints,
): Promise<void> {
  await tx.run(sql`
    delete from recall_near_duplicates
    where key in (${first}, ${second}) and no = ${number}`);
}

/** Puts a new reading of the same text in the place of the old one. */
export async function updateItem(tx: Tx, { no, ...reading }: Omit<ReadItem, 'id'>): Promise<void> {
  await analysed.update(tx, { ...reading, analysis: ANALYSIS }, isItem(no));
}

/** Items of a space with an older reading, and how many there are; counted only up to `most`. */
export function oldItems(q: Query, space: string, most: number): Promise<ItemRow[]> {
  return items.all(
    q,
    sql`
    select ${items.columnsOf('item')}
    from recall_items item
    where item.analysis < ${ANALYSIS}
      and exists (
        select 1
        from recall_scopes scope
        where scope.space = ${space} and item.no >= scope.no * ${SCOPE_SIZE} and item.no < (scope.no + 1) * ${SCOPE_SIZE}
      )
    order by item.no
    limit ${most}`,
  );
}

export function countOld(q: Query): Promise<number> {
  return items.count(q, sql`where analysis < ${ANALYSIS}`);
}

/** The item's text is gone, so its words stay as they are. */
export async function keepReading(tx: Tx, numbers: readonly number[]): Promise<void> {
  await analysed.update(tx, { analysis: ANALYSIS }, sql`where no ${tx.dialect.isOneOf(numbers)}`);
}

export async function markPast(tx: Tx, no: number): Promise<void> {
  await items.update(tx, { isPast: true }, isItem(no));
}

export async function deleteItem(tx: Tx, no: number): Promise<void> {
  await items.delete(tx, isItem(no));
}

export function itemsAfter(q: Query, after: number, most: number): Promise<ItemRow[]> {
  return items.list(q, sql`where no > ${after} order by no limit ${most}`);
}

export function allSpaces(q: Query): Promise<{ no: number; space: string }[]> {
  return scopes.only('no', 'space').list(q, sql.empty);
}

/** Scopes of the same tags but for the team. A scope is where its items stand, so what is in one has to be moved item by item. */
export type ScopePair = Readonly<{ space: string; from: number; into: number }>;

type TeamMove = Readonly<{ from: string; into: string }>;

/** What the other team has no scope for becomes its own as it stands; answers what both have. */
export async function moveScopes(tx: Tx, { from, into }: TeamMove): Promise<ScopePair[]> {
  await tx.run(sql`
    update recall_scopes
    set team = ${into}
    where team = ${from} and not exists (
      select 1
      from recall_scopes as there
      where there.space = recall_scopes.space
        and there.tenant = recall_scopes.tenant
        and there.agent = recall_scopes.agent
        and there.team = ${into}
    )`);
  return tx.all<ScopePair>(sql`
    select here.space as space, here.no as "from", there.no as "into"
    from recall_scopes here
    join recall_scopes there on there.space = here.space
      and there.tenant = here.tenant
      and there.agent = here.agent
      and there.team = ${into}
    where here.team = ${from}
    order by here.no`);
}

export async function countItemsOf(
  q: Query,
  { space, team }: Pick<ScopeTags, 'space' | 'team'>,
): Promise<number> {
  const row = await q.get<{ items: number }>(sql`
    select cast(coalesce(sum(items), 0) as bigint) as items
    from recall_counts
    join recall_scopes on no = scope_no
    where space = ${space} and team = ${team}`);
  return row!.items;
}
