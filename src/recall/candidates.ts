import type { Matched } from './match.ts';
import { neighbourOf, stretchOf } from './place.ts';
import { WEIGHTS } from './weights.ts';

/** Enough for every hit, its rivals and the items that only their neighbours recommend. */
const SHORTLIST = 240;
/** Below this, what the named people said is worth reading as well. */
const FEW = 60;
/** More items of one date or one person say too little about any of them. */
const MANY = 400;
/** Matches whose neighbourhood is looked at. The context of weaker ones cannot lift anything into the shortlist. */
const STRONG = 800;
/** The items around one that are its context. */
export const REACH = [-3, -2, -1, 1] as const;

/**
 * Picks the items worth reading, from posting lists alone. Nothing visible is cut off before this point; the cut
 * itself uses the same signals as the ranking, without term counts and lengths.
 */
export function shortlist(matched: Matched): number[] {
  const own = ownScores(matched);
  const episode = episodeScores(matched);
  const topEpisode = highest(episode.values()) || 1;
  const topOwn = highest(own.values()) || 1;
  const bySignals = (number: number, mine: number): number => {
    const stretch = stretchOf(number);
    return (
      (WEIGHTS.item * mine) / topOwn +
      (WEIGHTS.episode * (episode.get(stretch) ?? 0)) / topEpisode +
      WEIGHTS.speaker * share(matched.speakers, number) +
      WEIGHTS.party * share(matched.parties, stretch) +
      (matched.dated.has(number) ? WEIGHTS.date : 0)
    );
  };
  const byWindow = (number: number): number => {
    const mine = own.get(number) ?? 0;
    const around = REACH.reduce((sum, offset) => sum + (own.get(neighbourOf(number, offset) ?? -1) ?? 0), 0);
    return bySignals(number, mine) + (WEIGHTS.window / 2) * Math.min(2, (mine + around) / topOwn);
  };
  const strong = best([...own.keys()], STRONG, (number) => bySignals(number, own.get(number)!));
  return best([...withNeighbours(strong)], SHORTLIST, byWindow);
}

/** The numbers and the items around them. */
export function withNeighbours(numbers: Iterable<number>): Set<number> {
  const all = new Set<number>();
  for (const number of numbers) {
    all.add(number);
    for (const offset of REACH) {
      const near = neighbourOf(number, offset);
      if (near !== undefined) all.add(near);
    }
  }
  return all;
}

/** Share of the sets that have the value. */
export function share(sets: readonly ReadonlySet<number>[], value: number): number {
  if (sets.length === 0) return 0;
  return sets.reduce((count, set) => count + (set.has(value) ? 1 : 0), 0) / sets.length;
}

/**
 * Whether somebody whom the question names takes part in a stretch. How well others match elsewhere is no measure for
 * what these people said: a store of many conversations then ranks each of them as a store of its own would.
 */
export function partyTo({ parties }: Matched): (stretch: number) => boolean {
  return (stretch) => parties.length === 0 || parties.some((set) => set.has(stretch));
}

/** Sum of idf of the terms each stretch has, with diminishing returns for repeats. */
export function episodeScores(matched: Matched): Map<number, number> {
  const scores = new Map<number, number>();
  for (const { list, stretchIdf } of matched.terms) {
    for (let i = 0; i < list.length;) {
      const stretch = stretchOf(list[i]!);
      let count = 0;
      while (i < list.length && stretchOf(list[i]!) === stretch) {
        count += 1;
        i += 1;
      }
      scores.set(stretch, (scores.get(stretch) ?? 0) + (stretchIdf * count * 2.2) / (count + 1.2));
    }
  }
  return scores;
}

function ownScores(matched: Matched): Map<number, number> {
  const scores = new Map<number, number>();
  for (const { list, idf } of matched.terms) for (const number of list) scores.set(number, (scores.get(number) ?? 0) + idf);
  const isBare = scores.size === 0;
  const consider = (numbers: Iterable<number>): void => {
    for (const number of numbers) if (!scores.has(number)) scores.set(number, 0);
  };
  // With few words to go by, or none, the people and the dates are what was asked.
  if (isBare || matched.dated.size <= MANY) consider(matched.dated);
  if (isFewerThan(FEW, scores.keys(), partyTo(matched)))
    for (const set of [...matched.speakers, ...matched.mentions]) consider(isBare ? set : [...set].slice(-MANY));
  return scores;
}

/** What others said elsewhere does not count. */
function isFewerThan(few: number, numbers: Iterable<number>, isThere: (stretch: number) => boolean): boolean {
  let count = 0;
  for (const number of numbers) {
    if (isThere(stretchOf(number))) count += 1;
    if (count >= few) return false;
  }
  return true;
}

/** The `count` best; newer items first among equals. Sorting numbers in a typed array is what keeps this cheap. */
function best(numbers: readonly number[], count: number, score: (number: number) => number): number[] {
  if (numbers.length <= count) return [...numbers];
  const scores = Float64Array.from(numbers, score);
  const border = scores.toSorted()[scores.length - count]!;
  const above = numbers.filter((_, i) => scores[i]! > border);
  const level = numbers.filter((_, i) => scores[i] === border).sort((a, b) => b - a);
  return [...above, ...level.slice(0, count - above.length)];
}

export function highest(values: Iterable<number>): number {
  let best = 0;
  for (const value of values) if (value > best) best = value;
  return best;
}
