import { ENOUGH, type Matched } from './matched-terms.ts';
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

/** How much of the question each item has, by rarity: ascending numbers, and the score of each at the same place. */
type Own = Readonly<{ numbers: readonly number[]; scores: readonly number[] }>;

/** What the posting lists alone tell: how much of the question each item has, and the items worth reading. */
export type Shortlist = Readonly<{ own: Own; best: readonly number[] }>;

/** Picks the items worth reading, by the rarity of the words they have and by who said them when. Nothing is cut off before this. */
export function shortlist(matched: Matched): Shortlist {
  const own = ownScores(matched);
  const count = matched.groups <= FEW_WORDS ? SHORTLIST_OF_FEW : SHORTLIST;
  const best = bestOf(own.numbers, count, (_, at) => own.scores[at]!);
  if (matched.speakers.length === 0 && matched.dated.size === 0) return { own, best };
  const signalled = bestOf(own.numbers, count, bySignals(matched, mapOf(own)));
  return { own, best: [...new Set([...best, ...signalled])] };
}

/** The items around one that are its context: what is told follows what it is about. */
const REACH = [-3, -2, -1, 1] as const;
/** Those that an item is context of. */
const REACHED = [3, 2, 1, -1] as const;

/** The same for dialogues, where what stands around an item counts, and an item may have no word of the question itself. */
export function shortlistTurns(matched: Matched, words: Own): number[] {
  const own = mapOf(words);
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

const mapOf = ({ numbers, scores }: Own): ReadonlyMap<number, number> =>
  new Map(numbers.map((number, at) => [number, scores[at]!]));

function ownScores(matched: Matched): Own {
  let own: Own = { numbers: [], scores: [] };
  const byLength = matched.terms.toSorted((a, b) => a.having - b.having);
  for (const { list, idf } of byLength) {
    const isEnough = own.numbers.length >= ENOUGH && list.length > own.numbers.length;
    own = isEnough ? addToKnown(own, list, idf) : add(own, list, idf);
  }
  const isBare = own.numbers.length === 0;
  const consider = (numbers: Iterable<number>): void => {
    own = add(
      own,
      [...numbers].sort((a, b) => a - b),
      0,
    );
  };
  // With few words to go by, or none, the people and the dates are what was asked.
  if (isBare || matched.dated.size <= MANY) consider(matched.dated);
  if (isFewerThan(FEW, own.numbers, matched))
    for (const set of [...matched.speakers, ...matched.mentions])
      consider(isBare ? set : [...set].slice(-MANY));
  return own;
}

/** Both are ascending, so one pass brings them together: a table of hundreds of numbers would take several times as long. */
function add({ numbers, scores }: Own, list: readonly number[], more: number): Own {
  if (list.length === 0) return { numbers, scores };
  if (numbers.length === 0) return { numbers: list, scores: list.map(() => more) };
  const both = { numbers: [] as number[], scores: [] as number[] };
  let [i, j] = [0, 0];
  while (i < numbers.length || j < list.length) {
    const known = i < numbers.length ? numbers[i]! : Infinity;
    const found = j < list.length ? list[j]! : Infinity;
    both.numbers.push(Math.min(known, found));
    both.scores.push((known <= found ? scores[i]! : 0) + (found <= known ? more : 0));
    if (known <= found) i += 1;
    if (found <= known) j += 1;
  }
  return both;
}

function addToKnown({ numbers, scores }: Own, list: readonly number[], more: number): Own {
  const isIn = (number: number): boolean => list[lowerBound(list, number)] === number;
  return { numbers, scores: scores.map((score, at) => (isIn(numbers[at]!) ? score + more : score)) };
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
