import type { Principal } from '../../kernel/principal.ts';
import { analyseQuery } from '../../recall/analyse/query.ts';
import type { Postings } from '../../recall/postings.ts';
import type { Ranked } from '../../recall/rank.ts';
import { recall } from '../../recall/recall.ts';
import type { Sight } from '../../recall/scopes.ts';
import { storedPostings } from '../../recall/stored-postings.ts';
import type { Meaning, Near } from '../../recall/vectors/meaning.ts';
import { WEIGHTS } from '../../recall/weights.ts';
import type { Database, Query } from '../../store/database.ts';
import type { Hit, Mode, SearchAnswer } from './fact.ts';
import { sightOf } from './rules.ts';
import type { ScopeArgs } from './rules.ts';
import * as rows from './rows/facts.ts';
import type { StoredFact } from './rows/facts.ts';
import { toFact } from './views.ts';

export type SearchRequest = ScopeArgs &
  Readonly<{
    query: string;
    mode: Mode;
    limit: number;
    /** What held at that moment, instead of what holds now. */
    asOf?: number | undefined;
    explain?: boolean | undefined;
  }>;

/** The most a lexical score can reach; scores are shares of it. */
const FULL = Object.values(WEIGHTS)
  .flat()
  .reduce<number>((sum, weight) => sum + Math.max(0, weight), 0);
/** Filters of time are applied while reading, so more is read when they drop something. */
const PAGE = 100;
/** Items that only meaning recommends, beside those that words find. */
const CONSIDERED = 100;

/**
 * Searching may have to ask an embedding endpoint first, so it is not a unit of the store: it embeds the question,
 * then reads one snapshot. Without an answer from the endpoint words alone decide, and the answer says so.
 */
export async function search(db: Database, meaning: Meaning, who: Principal, request: SearchRequest): Promise<SearchAnswer> {
  const sight = sightOf(who, request);
  const { query, limit, asOf } = request;
  const near = await nearest(db, meaning, request, sight);
  const mode = near?.kind === 'found' ? request.mode : 'fts';
  const similarity = near?.kind === 'found' ? near.similarity : undefined;
  const results = await db.read(async (q) => {
    const ranked =
      mode === 'vector'
        ? rankBySimilarity(similarity!)
        : await recall(query, await postingsAt(q, sight, asOf), { similarity: similarity && spread(similarity) });
    const hits: Hit[] = [];
    for (let start = 0; start < ranked.length && hits.length < limit; start += PAGE) {
      const page = ranked.slice(start, start + PAGE);
      const facts = await rows.factsByNumbers(
        q,
        sight,
        page.map((item) => item.number),
      );
      const byNumber = new Map(facts.filter((fact) => holds(fact, asOf ?? db.now())).map((fact) => [fact.number, fact]));
      for (const item of page) {
        const fact = byNumber.get(item.number);
        if (fact) hits.push(toHit(fact, item, mode, request.explain === true));
      }
    }
    return hits.slice(0, limit);
  });
  return {
    results,
    mode,
    ...(near?.kind === 'unavailable' && { degraded: near.why }),
    ...(results.length === 0 && { note: whyEmpty(query) }),
  };
}

/** What no longer holds has no vector, so a question about the past is answered by words. */
async function nearest(db: Database, meaning: Meaning, { mode, query, asOf }: SearchRequest, sight: Sight): Promise<Near | undefined> {
  if (mode === 'fts') return undefined;
  if (asOf !== undefined && asOf < db.now())
    return { kind: 'unavailable', why: 'Only what holds now is embedded; the past is found by its words.' };
  return meaning.near(query, sight);
}

/** What held at that moment, before anything is ranked or cut off. */
async function postingsAt(q: Query, sight: Sight, asOf: number | undefined): Promise<Postings> {
  const postings = await storedPostings(q, sight, asOf !== undefined);
  if (asOf === undefined) return postings;
  return {
    ...postings,
    async lists(terms) {
      const lists = await postings.lists(terms);
      const held = await rows.heldAt(q, [...new Set(lists.flat())], asOf);
      return lists.map((list) => list.filter((number) => held.has(number)));
    },
  };
}

function holds(fact: StoredFact, asOf: number): boolean {
  return fact.validFrom <= asOf && (fact.validTo === null || fact.validTo > asOf);
}

function rankBySimilarity(similarity: ReadonlyMap<number, number>): Ranked[] {
  return [...similarity]
    .map(([number, cosine]) => ({ number, id: '', score: ((cosine + 1) / 2) * FULL, parts: { vector: ((cosine + 1) / 2) * FULL } }))
    .sort((a, b) => b.score - a.score || b.number - a.number);
}

/** Cosines of one model crowd together; what tells items apart is where they lie between the farthest and the nearest. */
function spread(similarity: ReadonlyMap<number, number>): Map<number, number> {
  const nearest = [...similarity].slice(0, CONSIDERED);
  const best = nearest[0]![1];
  const worst = nearest.at(-1)![1];
  return new Map(nearest.map(([number, cosine]) => [number, best === worst ? 1 : (cosine - worst) / (best - worst)]));
}

function toHit(fact: StoredFact, item: Ranked, mode: Mode, explain: boolean): Hit {
  return {
    ...toFact(fact),
    score: round(Math.max(0, Math.min(1, item.score / FULL))),
    matchedVia: mode === 'hybrid' ? hybridVia(item) : mode,
    ...(fact.validTo !== null && { validTo: fact.validTo }),
    ...(explain && { why: Object.fromEntries(Object.entries(item.parts).map(([name, points]) => [name, round(points / FULL)])) }),
  };
}

/** Which of the two found it: words, meaning, or both. */
function hybridVia({ parts }: Ranked): Mode {
  if (parts.vector === undefined) return 'fts';
  return parts.item === undefined && parts.window === undefined && parts.episode === undefined ? 'vector' : 'hybrid';
}

function whyEmpty(query: string): string {
  const { terms, names, dates } = analyseQuery(query);
  return terms.length + names.length + dates.length === 0
    ? 'The query has no word to search for; name the thing, person or date you are looking for.'
    : 'No fact in sight has any of these words.';
}

const round = (value: number): number => Math.round(value * 10_000) / 10_000;
