// Searching facts and procedures. Scopes are applied before anything is ranked.
import type { Principal } from '../../kernel/principal.ts';
import type { ItemKind, Meaning, Near, RecallAnswer, RecallHit, Sight } from '../../recall/recall.ts';
import type { Database, Query } from '../../store/database.ts';
import { bounded } from './brief.ts';
import { type Cite, isDoubtful, type StoredCite } from './cites/cite.ts';
import type { MemoryHit, Mode, SearchAnswer } from './fact.ts';
import { memoryRecall } from './file-procedures.ts';
import { type ScopeArgs, sightOf } from './rules.ts';
import * as rows from './rows/facts.ts';
import * as procedureRows from './rows/procedures.ts';
import { spread } from './similarity.ts';
import { standingOf, toFact, toFactLike, type Vouched } from './views.ts';

export type MemorySearchRequest = ScopeArgs &
  Readonly<{
    query: string;
    mode: Mode;
    limit: number;
    /** Facts and procedures unless given. */
    kind?: ItemKind | undefined;
    /** What held at that moment, instead of what holds now. */
    asOf?: number | undefined;
    explain?: boolean | undefined;
    /** Every hit by one passage. */
    brief?: boolean | undefined;
    /** At most so many characters of content in all. */
    most?: number | undefined;
  }>;

/** The same with what its asker may see, and when it was asked. */
type Asked = MemorySearchRequest & Readonly<{ sight: Sight; now: number }>;

type SearchParts = Readonly<{
  db: Database;
  meaning: Meaning;
  /** How what the hits cite stands in the files of who asks. Nothing of it is read in a snapshot. */
  judge(lists: readonly (readonly StoredCite[])[]): Promise<readonly (readonly Cite[])[]>;
}>;

/** What does not hold at that moment is told only by reading it. For the present that is next to nothing. */
const SPARE = 4;

/**
 * Searching may have to ask an embedding endpoint first, so it is not a unit of the store: it embeds the question,
 * then reads one snapshot. Without an answer from the endpoint words alone decide, and the answer says so.
 */
export async function search(
  { db, meaning, judge }: SearchParts,
  who: Principal,
  given: MemorySearchRequest,
): Promise<SearchAnswer> {
  const request = { ...given, sight: sightOf(who, given), now: db.now() };
  const near = await nearest(meaning, request);
  const mode = near?.kind === 'found' ? request.mode : 'fts';
  const similarity = near?.kind === 'found' ? near.similarity : undefined;
  const { read, found } = await db.read(async (q) => {
    const answer = mode === 'vector' ? undefined : await searchWords(q, request, similarity);
    const hits = answer?.hits ?? rankBySimilarity(similarity!);
    return {
      read: await readHits(q, { request, mode, hits, answer }),
      found: answer,
    };
  });
  const results = bounded(doubtfulLast(await withStandings(read, judge)), request);
  return {
    results,
    mode,
    ...(near?.kind === 'unavailable' && { degraded: near.why }),
    ...(results.length > 0 && found && { confident: found.isConfident }),
    ...(results.length === 0 ? { note: whyEmpty(found) } : found && !found.isConfident && { note: UNSURE }),
  };
}

const UNSURE =
  'No saved fact has most of this question; check a result before you act on it, or ask in other words.';

function searchWords(q: Query, request: Asked, similarity: Similarity | undefined): Promise<RecallAnswer> {
  const { query: text, sight, asOf, kind } = request;
  return memoryRecall.search(q, {
    text,
    sight,
    kind,
    similarity: similarity && spread(similarity),
    heldThen: asOf === undefined ? undefined : (numbers) => rows.heldAt(q, numbers, asOf),
  });
}

type Similarity = ReadonlyMap<number, number>;

/** What no longer holds has no vector, so a question about the past is answered by words. */
async function nearest(
  meaning: Meaning,
  { mode, query, sight, asOf, now }: Asked,
): Promise<Near | undefined> {
  if (mode === 'fts') return undefined;
  if (asOf !== undefined && asOf < now)
    return { kind: 'unavailable', why: 'Only what holds now is embedded; the past is found by its words.' };
  return meaning.near(query, sight);
}

type Ranked = Readonly<{
  request: Asked;
  mode: Mode;
  hits: readonly RecallHit[];
  answer: RecallAnswer | undefined;
}>;

type ReadHit = Readonly<{ hit: MemoryHit; stored: Stored }>;
type Stored = Vouched & Readonly<{ cites: readonly StoredCite[] | null }>;

async function withStandings(read: readonly ReadHit[], judge: SearchParts['judge']): Promise<MemoryHit[]> {
  const cites = read.some(({ stored }) => stored.cites !== null)
    ? await judge(read.map(({ stored }) => stored.cites ?? []))
    : [];
  return read.map(({ hit, stored }, i) => ({ ...hit, ...standingOf(stored, cites[i]) }));
}

/** Scores that differ by less are alike. */
const ALIKE = 0.1;

/**
 * What cites code that has changed or is gone goes behind what is as good and does not. The others stay in their order, which
 * is not that of the scores alone.
 */
function doubtfulLast(hits: readonly MemoryHit[]): readonly MemoryHit[] {
  const isSure = ({ cites }: MemoryHit): boolean => cites?.some(isDoubtful) !== true;
  const sure = hits.filter(isSure);
  if (sure.length === hits.length) return hits;
  const placed = hits.map((hit, at) => {
    let place = hits.slice(0, at).filter(isSure).length;
    if (isSure(hit)) return { hit, place };
    while (place < sure.length && sure[place]!.score >= hit.score * (1 - ALIKE)) place += 1;
    return { hit, place: place - 0.5 };
  });
  return placed.toSorted((a, b) => a.place - b.place).map(({ hit }) => hit);
}

async function readHits(q: Query, { request, mode, hits, answer }: Ranked): Promise<ReadHit[]> {
  const { limit } = request;
  // A note with every word of the question, early and together, reaches about two.
  const full = Math.max(2, hits[0]?.score ?? 0);
  const reasonOf = (hit: RecallHit): string =>
    answer ? memoryRecall.explain(answer, hit) : 'similar in meaning';
  const results: ReadHit[] = [];
  const size = limit + (request.asOf === undefined ? 0 : SPARE);
  for (let start = 0; start < hits.length && results.length < limit; start += size) {
    const page = hits.slice(start, start + size);
    const known = await readPage(q, request, page);
    for (const hit of page) {
      const item = known.get(hit.number);
      if (!item || results.length === limit) continue;
      const found: MemoryHit = {
        ...item.shown,
        kind: hit.kind,
        score: round(Math.max(0, hit.score / full)),
        matchedVia: mode === 'hybrid' ? hybridVia(hit) : mode,
        ...(request.explain === true
          ? { why: signalsOf(hit, full), reason: reasonOf(hit) }
          : { why: reasonOf(hit) }),
      };
      results.push({ hit: found, stored: item.stored });
    }
  }
  return results;
}

type FactLike = Omit<MemoryHit, 'kind' | 'score' | 'matchedVia' | 'why' | 'reason'>;
type ReadItem = Readonly<{ shown: FactLike; stored: Stored }>;

async function readPage(
  q: Query,
  { sight, now, asOf = now }: Asked,
  page: readonly RecallHit[],
): Promise<Map<number, ReadItem>> {
  const numbersOf = (kind: ItemKind): number[] =>
    page.filter((hit) => hit.kind === kind).map((hit) => hit.number);
  const known = new Map<number, ReadItem>();
  const [facts, procedures] = [numbersOf('fact'), numbersOf('procedure')];
  for (const fact of facts.length === 0 ? [] : await rows.shownByNumbers(q, sight, facts)) {
    const isHeld = fact.validFrom <= asOf && (fact.validTo === null || fact.validTo > asOf);
    if (isHeld)
      known.set(fact.number, {
        shown: { ...toFact(fact), ...(fact.validTo !== null && { validTo: fact.validTo }) },
        stored: fact,
      });
  }
  if (procedures.length === 0) return known;
  for (const { number, procedure } of await procedureRows.proceduresByNumbers(q, sight, procedures))
    if (procedure.createdAt <= asOf) known.set(number, { shown: toFactLike(procedure), stored: procedure });
  return known;
}

function rankBySimilarity(similarity: ReadonlyMap<number, number>): RecallHit[] {
  return [...similarity]
    .map(([number, cosine]) => {
      const score = cosine + 1;
      return { number, id: '', kind: 'fact' as const, score, parts: { vector: score } };
    })
    .sort((a, b) => b.score - a.score || b.number - a.number);
}

/** Which of the two found it: words, meaning, or both. */
function hybridVia({ parts }: RecallHit): Mode {
  if (parts.vector === undefined) return 'fts';
  return (parts.item ?? 0) + (parts.window ?? 0) + (parts.episode ?? 0) > 0 ? 'hybrid' : 'vector';
}

/** What each signal added: together they are the score. */
function signalsOf({ parts, score }: RecallHit, full: number): Record<string, number> {
  // That meaning found it is worth telling, also where words left nothing open.
  const all = Object.entries(parts).filter(([name, points]) => points !== 0 || name === 'vector');
  const sum = all.reduce((total, [, points]) => total + points, 0) || 1;
  return Object.fromEntries(all.map(([name, points]) => [name, round((points / sum) * (score / full))]));
}

function whyEmpty(found: RecallAnswer | undefined): string {
  return found?.hasWords === false
    ? 'The query has no word to search for; name the thing, person or date you are looking for.'
    : 'No fact in sight has any of these words.';
}

const round = (value: number): number => Math.round(value * 10_000) / 10_000;
