import type { QueryAnalysis } from './analyse/query.ts';
import { dateAgreement, readDate } from './analyse/dates.ts';
import { episodeScores, highest, partyTo, REACH, share } from './candidates.ts';
import type { Matched } from './match.ts';
import { neighbourOf, stretchOf } from './place.ts';
import type { IndexedItem, IndexSize } from './postings.ts';
import { PRIOR_LIMIT, WEIGHTS } from './weights.ts';
import type { ScoreParts, SignalName } from './weights.ts';

export type Ranked = Readonly<{ number: number; id: string; score: number; parts: ScoreParts }>;

export type RankInput = Readonly<{
  query: QueryAnalysis;
  matched: Matched;
  size: IndexSize;
  /** The items to rank and, where they exist, their neighbours. */
  items: readonly IndexedItem[];
  /** Which of `items` may be answers; the others are context. */
  shortlist: ReadonlySet<number>;
  /** Similarity by meaning, 0…1, where known. */
  similarity?: ReadonlyMap<number, number>;
  /** A caller's own opinion of an item, bounded by PRIOR_LIMIT. */
  prior?: (number: number) => number;
}>;

const K1 = 1.2;
const B = 0.75;
const WINDOW = [...REACH, 0];
const LONG_ITEM = 40;
/** Outside a conversation a short note is nearly as good as a long one. */
const NOTE_LENGTH = 1 / 3;
/** A question is short beside the item it stands in; its length is measured against other questions. */
const ASKED_WIDTH = 0.4;
const SHORT_QUESTION = 3;

/** Best first. Pure: the same input gives the same order, whatever engine the lists came from. */
export function rank(input: RankInput): Ranked[] {
  const facts = countTerms(input);
  const own = scoreAll(facts, (fact) => bm25(input, fact.counts, fact.length, 1));
  const windows = new Map(
    [...input.shortlist].filter((number) => facts.has(number)).map((number) => [number, readWindow(input, facts, number)]),
  );
  const episodes = episodeScores(input.matched);
  const isThere = partyTo(input.matched);
  const counts = (number: number): boolean => isThere(stretchOf(number)) || aboutNamed(input.matched, facts.get(number)!.item) > 0;
  const best = (scores: Iterable<readonly [number, number]>, isCounted: (key: number) => boolean): number =>
    highest([...scores].filter(([key]) => isCounted(key)).map(([, score]) => score)) || 1;
  const scale: Scale = {
    own: best(own, counts),
    window: best(
      [...windows].map(([number, window]) => [number, window.score] as const),
      counts,
    ),
    episode: best(episodes, isThere),
    similarity: highest(input.similarity?.values() ?? []) || 1,
    asked: input.matched.terms.reduce((sum, term) => sum + (term.isAsked ? term.idf : 0), 0) || 1,
  };
  const pairs = pairsOf(input.matched);
  const ranked: Ranked[] = [];
  for (const fact of facts.values()) {
    if (!input.shortlist.has(fact.item.number) || !isAnswer(input, fact, own)) continue;
    const parts = signals(input, { facts, own, windows, episodes, scale, pairs }, fact);
    ranked.push({ number: fact.item.number, id: fact.item.id, score: total(parts), parts });
  }
  return ranked.sort((a, b) => b.score - a.score || b.number - a.number);
}

/**
 * What has nothing of the question itself can still be the answer when it is part of a conversation ("And its name?" –
 * "Biscuit."). Elsewhere a neighbour lends weight to what matches, and is no answer by itself.
 */
function isAnswer({ matched, similarity }: RankInput, { item }: Fact, own: Scores): boolean {
  if (item.traits.isTurn || own.get(item.number)! > 0 || similarity?.has(item.number) === true) return true;
  return matched.dated.has(item.number) || [...matched.speakers, ...matched.mentions].some((set) => set.has(item.number));
}

/** In a conversation everybody is addressed by name; elsewhere a name says whom it is about. */
function aboutNamed({ mentions }: Matched, { number, traits }: IndexedItem): number {
  return traits.isTurn ? 0 : share(mentions, number);
}

type Scale = Readonly<{ own: number; window: number; episode: number; similarity: number; asked: number }>;
type Fact = Readonly<{
  item: IndexedItem;
  counts: Uint32Array;
  /** The same for the sentences that ask, if there are any. */
  asked: Uint32Array | undefined;
  length: number;
}>;
type Facts = ReadonlyMap<number, Fact>;
type Scores = ReadonlyMap<number, number>;

function countTerms({ matched, items }: RankInput): Facts {
  const column = new Map(matched.terms.map(({ term }, i) => [term, i]));
  const having = new Set(matched.terms.flatMap(({ list }) => list));
  const none = new Uint32Array(column.size);
  const count = (terms: readonly string[]): Uint32Array => {
    const counts = new Uint32Array(column.size);
    for (const term of terms) {
      const i = column.get(term);
      if (i !== undefined) counts[i] = counts[i]! + 1;
    }
    return counts;
  };
  const read = (item: IndexedItem): Fact => {
    if (!having.has(item.number)) return { item, counts: none, asked: undefined, length: item.length };
    const terms = item.terms.split(' ');
    const { asked } = item.traits;
    return { item, counts: count(terms), asked: asked > 0 ? count(terms.slice(-asked)) : undefined, length: item.length };
  };
  return new Map(items.map((item) => [item.number, read(item)]));
}

function scoreAll(facts: Facts, score: (fact: Fact) => number): Scores {
  return new Map([...facts].map(([number, fact]) => [number, score(fact)]));
}

function bm25({ matched, size }: RankInput, counts: Uint32Array, length: number, width: number): number {
  const mean = Math.max(1, (size.terms / Math.max(1, size.items)) * width);
  const norm = K1 * (1 - B + (B * length) / mean);
  // Of a word and all that stands in for it the best counts: a list of animals is not ten times about pets.
  const best = new Float64Array(matched.groups);
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i]!;
    if (count === 0) continue;
    const { idf, group } = matched.terms[i]!;
    const part = (idf * count * (K1 + 1)) / (count + norm);
    if (part > best[group]!) best[group] = part;
  }
  return best.reduce((sum, part) => sum + part, 0);
}

/** How well the sentences of an item that ask ask what is asked now. */
function askedScore(input: RankInput, fact: Fact | undefined): number {
  return fact?.asked ? bm25(input, fact.asked, Math.max(SHORT_QUESTION, fact.item.traits.asked), ASKED_WIDTH) : 0;
}

/** Words of the question that stand side by side in it. */
function pairsOf({ terms }: Matched): readonly (readonly [string, string])[] {
  const asked = terms.filter(({ isAsked }) => isAsked).map(({ term }) => term);
  return asked.slice(1).map((term, i) => [asked[i]!, term] as const);
}

/** Share of the pairs that stand side by side here too, or with one word between them. */
function phrases(pairs: readonly (readonly [string, string])[], { item, counts }: Fact): number {
  if (pairs.length === 0 || counts.every((count) => count === 0)) return 0;
  const words = item.terms.split(' ');
  const isHere = ([first, second]: readonly [string, string]): boolean =>
    words.some((word, i) => word === first && (words[i + 1] === second || words[i + 2] === second));
  return pairs.filter(isHere).length / pairs.length;
}

type Window = Readonly<{ score: number; coverage: number }>;

/** The item and its neighbours read as one text. */
function readWindow(input: RankInput, facts: Facts, number: number): Window {
  const { terms } = input.matched;
  const counts = new Uint32Array(terms.length);
  let length = 0;
  for (const offset of WINDOW) {
    const fact = facts.get(neighbourOf(number, offset) ?? -1);
    if (!fact) continue;
    for (let i = 0; i < counts.length; i++) counts[i] = counts[i]! + fact.counts[i]!;
    length += fact.length;
  }
  const coverage = terms.reduce((sum, { idf, isAsked }, i) => sum + (isAsked && counts[i]! > 0 ? idf : 0), 0);
  return { score: bm25(input, counts, length, WINDOW.length), coverage };
}

type Context = Readonly<{
  facts: Facts;
  own: Scores;
  windows: ReadonlyMap<number, Window>;
  episodes: Scores;
  scale: Scale;
  pairs: ReturnType<typeof pairsOf>;
}>;

function signals(input: RankInput, context: Context, fact: Fact): ScoreParts {
  const { query, matched } = input;
  const { own, scale } = context;
  const { number, traits } = fact.item;
  const ownAt = (offset: number): number => part(own.get(neighbourOf(number, offset) ?? -1) ?? 0, scale.own);
  const window = context.windows.get(number)!;
  const spoken = share(matched.speakers, number);
  const about = aboutNamed(matched, fact.item);
  const parts: Record<SignalName, number> = {
    item: WEIGHTS.item * part(own.get(number)!, scale.own),
    window: WEIGHTS.window * part(window.score, scale.window),
    episode: WEIGHTS.episode * part(context.episodes.get(stretchOf(number)) ?? 0, scale.episode),
    coverage: (WEIGHTS.coverage * window.coverage) / scale.asked,
    phrase: WEIGHTS.phrase * phrases(context.pairs, fact),
    before: WEIGHTS.before[0] * ownAt(-1) + WEIGHTS.before[1] * ownAt(-2),
    answer: WEIGHTS.answer * part(askedScore(input, context.facts.get(neighbourOf(number, -1) ?? -1)), scale.own),
    speaker: WEIGHTS.speaker * Math.max(spoken, about),
    self: traits.isAboutSelf ? WEIGHTS.self * spoken : 0,
    party: WEIGHTS.party * Math.max(share(matched.parties, stretchOf(number)), about),
    date: WEIGHTS.date * highest(query.dates.map((asked) => dateAgreement(asked, readDate(traits.date)))),
    temporal: query.asksWhen && traits.isTemporal ? WEIGHTS.temporal : 0,
    moment: query.asksWhen && traits.tellsWhen ? WEIGHTS.moment : 0,
    number: query.asksNumber && traits.hasNumber ? WEIGHTS.number : 0,
    question: traits.isQuestion ? WEIGHTS.question : 0,
    length: WEIGHTS.length * (traits.isTurn ? 1 : NOTE_LENGTH) * Math.min(1, Math.log1p(fact.length) / Math.log1p(LONG_ITEM)),
    vector: (WEIGHTS.vector * (input.similarity?.get(number) ?? 0)) / scale.similarity,
    prior: Math.max(-PRIOR_LIMIT, Math.min(PRIOR_LIMIT, input.prior?.(number) || 0)),
  };
  return Object.fromEntries(Object.entries(parts).filter(([, points]) => points !== 0));
}

function total(parts: ScoreParts): number {
  return Object.values(parts).reduce((sum, points) => sum + points, 0);
}

const part = (score: number, best: number): number => Math.min(1, score / best);
