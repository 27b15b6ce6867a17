import { ENOUGH, type Matched, type MatchedTerm } from './matched-terms.ts';
import { bestOf, lowerBound, shareOf } from './numbers.ts';
import { neighbourOf, stretchOf } from './place.ts';
import { TURN_WEIGHTS } from './score/weights.ts';

/** Enough for every hit and its rivals; one or two words tell less about what is worth reading than more do. */
const SHORTLIST = 60;
const FEW_WORDS = 2;
const SHORTLIST_OF_FEW = 160;
/** Matches whose neighbourhood is looked at, and turns that are read. */
const STRONG = 400;
const MOST_TURNS = 140;
/** Below this, what the named people said is worth reading as well. */
const FEW = 60;
/** More items of one date or one person say too little about any of them. */
const MANY = 400;

/** What the posting lists alone tell: how much of the question each item has, by rarity, and the items worth reading. */
export type Shortlist = Readonly<{ own: ReadonlyMap<number, number>; best: readonly number[] }>;

/** Picks the items worth reading, by the rarity of the words they have and by who said them when. Nothing is cut off before this. */
export function shortlist(matched: Matched): Shortlist {
  const own = ownScores(matched);
  const byWords = (number: number): number => own.get(number)!;
  const all = [...own.keys()];
  const count = matched.groups <= FEW_WORDS ? SHORTLIST_OF_FEW : SHORTLIST;
  const best = bestOf(all, count, byWords);
  if (matched.speakers.length === 0 && matched.dated.size === 0) return { own, best };
  return { own, best: [...new Set([...best, ...bestOf(all, count, bySignals(matched, own))])] };
}

/** The items around one that are its context: what is told follows what it is about. */
const REACH = [-3, -2, -1, 1] as const;
/** Those that an item is context of. */
const REACHED = [3, 2, 1, -1] as const;

/** The same for dialogues, where what stands around an item counts, and an item may have no word of the question itself. */
export function shortlistTurns(matched: Matched, own: ReadonlyMap<number, number>): number[] {
  const score = bySignals(matched, own);
  const top = topOf(own);
  const byWindow = (number: number): number => {
    let sum = own.get(number) ?? 0;
    for (const offset of REACH) sum += own.get(neighbourOf(number, offset) ?? -1) ?? 0;
    return score(number) + (TURN_WEIGHTS.window / 2) * Math.min(2, sum / top);
  };
  const strong = bestOf([...own.keys()], STRONG, score);
  return bestOf([...withNeighbours(strong, REACHED)], MOST_TURNS, byWindow);
}

export function withNeighbours(numbers: readonly number[], offsets: readonly number[]): Set<number> {
  const all = new Set(numbers);
  for (const number of numbers) {
    for (const offset of offsets) {
      const near = neighbourOf(number, offset);
      if (near !== undefined) all.add(near);
    }
  }
  return all;
}

function bySignals(
  { speakers, parties, dated }: Matched,
  own: ReadonlyMap<number, number>,
): (number: number) => number {
  const top = topOf(own);
  return (number) =>
    (TURN_WEIGHTS.item * (own.get(number) ?? 0)) / top +
    TURN_WEIGHTS.speaker * shareOf(speakers, number) +
    TURN_WEIGHTS.party * shareOf(parties, stretchOf(number)) +
    (dated.has(number) ? TURN_WEIGHTS.date : 0);
}

function topOf(own: ReadonlyMap<number, number>): number {
  let top = 1e-9;
  for (const score of own.values()) if (score > top) top = score;
  return top;
}

function ownScores(matched: Matched): Map<number, number> {
  const scores = new Map<number, number>();
  const byLength = matched.terms.toSorted((a, b) => a.having - b.having);
  for (const term of byLength) {
    if (scores.size >= ENOUGH && term.list.length > scores.size) addToKnown(scores, term);
    else for (const number of term.list) scores.set(number, (scores.get(number) ?? 0) + term.idf);
  }
  const isBare = scores.size === 0;
  const consider = (numbers: Iterable<number>): void => {
    for (const number of numbers) if (!scores.has(number)) scores.set(number, 0);
  };
  // With few words to go by, or none, the people and the dates are what was asked.
  if (isBare || matched.dated.size <= MANY) consider(matched.dated);
  if (isFewerThan(FEW, scores.keys(), matched))
    for (const set of [...matched.speakers, ...matched.mentions])
      consider(isBare ? set : [...set].slice(-MANY));
  return scores;
}

function addToKnown(scores: Map<number, number>, { list, idf }: MatchedTerm): void {
  for (const [number, score] of scores) {
    if (list[lowerBound(list, number)] === number) scores.set(number, score + idf);
  }
}

/** Of the named people's conversations; what others said elsewhere does not count. */
function isFewerThan(few: number, numbers: Iterable<number>, { parties }: Matched): boolean {
  if (parties.length === 0) return false;
  let count = 0;
  for (const number of numbers) {
    if (parties.some((set) => set.has(stretchOf(number)))) count += 1;
    if (count >= few) return false;
  }
  return true;
}
