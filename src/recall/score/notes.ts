// How notes are ranked: what each signal says of an item, added up.
import type { QuestionAnalysis } from '../analyse/question.ts';
import type { Matched } from '../matched-terms.ts';
import type { IndexedItem, IndexSize } from '../postings.ts';
import { boundedPrior, type Ranked } from './ranked.ts';
import { NOTE_WEIGHTS, type ScoreParts, type SignalName } from './weights.ts';
import { emptyParts, type Emphasis, findWords, okapi, PLAIN, standTogether } from './words.ts';

export type Judging = Readonly<{
  question: QuestionAnalysis;
  matched: Matched;
  /** How long an item of this kind is on average, in words. */
  mean: number;
  size: IndexSize;
  /** Similarity by meaning, 0…1, where known. */
  similarity?: ReadonlyMap<number, number> | undefined;
  /** A caller's own opinion of an item, bounded by PRIOR_LIMIT. */
  prior?: ((number: number) => number) | undefined;
  without?: SignalName | undefined;
}>;

type Writable<T> = { -readonly [F in keyof T]: T[F] };

const K1 = 2;
const B = 0.9;
const EMPHASIS: Emphasis = { lead: 1, letters: 56, title: 0.5 };
/** How many words of ordinary text an item is thought to have beside its own, as a share of the mean length. */
const SMOOTHING = 1.7;
/** How often a word stands in an item that has it, on average. */
const REPEATS = 1.5;

/**
 * Notes are found by their own words: how rare, how often, how early, and whether they stand together. Two measures of
 * that are added up, Okapi's and how likely such a text is to hold the question: they err on different notes.
 */
export function rankNotes(items: readonly IndexedItem[], judging: Judging): Ranked[] {
  const { matched, question, mean } = judging;
  const idfs = Float64Array.from(matched.terms, ({ idf }) => idf);
  const found = items.map((item) =>
    findWords(item, matched.terms, judging.without === 'lead' ? PLAIN : EMPHASIS),
  );
  const scale = { matched, k1: K1, b: B, mean, idfs };
  const own = items.map((item, i) => okapi(scale, found[i]!.counts, item.length));
  const best = own.reduce((most, score) => Math.max(most, score), 0) || 1;
  const likely = spread(
    // What only meaning recommends has no word of the question: it must not stretch the range of those that do.
    likelihoods(judging, items, (i) => (own[i]! > 0 ? found[i]!.counts : undefined)),
    Math.max(matched.weight, matched.groups),
  );
  const place = new Map(
    matched.terms.flatMap(({ group, isRoot }, i) => (isRoot ? [] : [[group, i] as const])),
  );
  const pairs = question.pairs.flatMap(([first, second]) => {
    const [a, b] = [place.get(first), place.get(second)];
    return a === undefined || b === undefined ? [] : [[a, b] as const];
  });
  const shares = found.map(({ places }) => covered(matched, places));
  return items.map((item, i) => {
    const { places } = found[i]!;
    let together = 0;
    for (const [a, b] of pairs) {
      if (places[a]! < 0 || places[b]! < 0) continue;
      const [first, second] = [matched.terms[a]!, matched.terms[b]!];
      if (standTogether(found[i]!, first.term, second.term)) together += (first.idf + second.idf) / 2;
    }
    const share = shares[i]!;
    // Field by field: this happens to every candidate of every search, and copies cost more than the sums.
    const parts: Writable<ScoreParts> = { item: (NOTE_WEIGHTS.item * own[i]!) / best };
    if (own[i]! > 0) parts.likely = NOTE_WEIGHTS.likely * likely[i]!;
    if (share > 0) parts.coverage = NOTE_WEIGHTS.coverage * share;
    if (together > 0) parts.phrase = (NOTE_WEIGHTS.phrase * together) / (matched.weight || 1);
    if (question.asksWhen && item.flags.tellsWhen) parts.moment = NOTE_WEIGHTS.moment;
    if (judging.prior) Object.assign(parts, boundedPrior(item.number, judging.prior));
    return { item, parts, score: total(parts, judging.without), covered: share };
  });
}

/** Logarithm of how likely a text like each is to hold the words of the question, up to a constant. */
function likelihoods(
  { matched: { terms, groups }, mean, size }: Judging,
  items: readonly IndexedItem[],
  countsOf: (i: number) => readonly number[] | undefined,
): number[] {
  const smooth = Math.max(1, SMOOTHING * mean);
  const expected = Float64Array.from(
    terms,
    ({ having }) => smooth * ((REPEATS * having) / Math.max(1, size.terms)),
  );
  return items.map(({ length }, at) => {
    const counts = countsOf(at);
    if (!counts) return NaN;
    const parts = emptyParts(groups);
    for (let i = 0; i < counts.length; i += 1) {
      if (counts[i] === 0) continue;
      const { group, isRoot } = terms[i]!;
      const part = Math.log1p(counts[i]! / expected[i]!) * (isRoot ? ROOT_SHARE : 1);
      if (part > parts[group]!) parts[group] = part;
    }
    return sumOf(parts, groups) + groups * Math.log(smooth / (smooth + length));
  });
}

function sumOf(parts: Float64Array, groups: number): number {
  let sum = 0;
  for (let i = 0; i < groups; i += 1) sum += parts[i]!;
  return sum;
}

const ROOT_SHARE = 0.5;

/** Below the greatest as shares of the whole range, or of what the question weighs if that is more: 1 and less. */
function spread(values: readonly number[], weight: number): number[] {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const range = Math.max(most - least, weight) || 1;
  return values.map((value) => 1 - (most - value) / range);
}

export function total(parts: ScoreParts, without?: SignalName): number {
  let sum = without === undefined ? 0 : -(parts[without] ?? 0);
  for (const name in parts) sum += parts[name as SignalName]!;
  return sum;
}

/** Share of the question, by weight, that the item has. */
function covered({ terms, groups, weight }: Matched, places: readonly number[]): number {
  const parts = emptyParts(groups);
  for (let i = 0; i < terms.length; i += 1) {
    if (places[i]! < 0) continue;
    const { idf, group } = terms[i]!;
    if (idf > parts[group]!) parts[group] = idf;
  }
  return weight === 0 ? 0 : sumOf(parts, groups) / weight;
}
