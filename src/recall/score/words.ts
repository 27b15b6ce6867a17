import type { Matched, MatchedTerm } from '../matched-terms.ts';
import { lowerBound } from '../numbers.ts';
import type { IndexedItem } from '../postings.ts';

/** How an item has the words of a question. Its text is searched in place: taking it apart would cost more than ranking. */
export type FoundWords = Readonly<{
  /** For each matched term how often, what stands early counting for more. */
  counts: readonly number[];
  /** For each matched term where it stands first, in letters; -1 when it does not. */
  places: readonly number[];
  text: string;
}>;

/** What is said first is what a text is about: a word there counts for more, fading over the first dozen words. */
export type Emphasis = Readonly<{ lead: number; letters: number; title: number }>;

export const PLAIN: Emphasis = { lead: 0, letters: 1, title: 0 };

export function findWords(item: IndexedItem, terms: readonly MatchedTerm[], emphasis: Emphasis): FoundWords {
  const text = ` ${item.terms} `;
  const counts: number[] = [];
  const places: number[] = [];
  for (let i = 0; i < terms.length; i += 1) {
    const { term, isRoot, list } = terms[i]!;
    let [count, place] = [0, -1];
    // The index knows who has it; looking through a text in vain takes longest.
    if (list[lowerBound(list, item.number)] === item.number) {
      const needle = isRoot ? term : `${term} `;
      for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + term.length)) {
        if (text.charCodeAt(at - 1) !== SPACE) continue;
        if (count === 0) place = at - 1;
        count += weightAt(item, at - 1, emphasis);
      }
    }
    counts.push(count);
    places.push(place);
  }
  return { counts, places, text };
}

const SPACE = 32;

function weightAt(item: IndexedItem, at: number, { lead, letters, title }: Emphasis): number {
  const early = lead === 0 ? 0 : lead * Math.exp(-at / letters);
  return 1 + early + (at < item.flags.titleLetters ? title : 0);
}

let parts = new Float64Array(64);

/** Room for one number of each word of a question, which whoever asks next takes again: made anew it cost more than the sums. */
export function emptyParts(groups: number): Float64Array {
  if (groups > parts.length) parts = new Float64Array(groups);
  return parts.fill(0, 0, groups);
}

/** Saturation and length of Okapi BM25, and how rare each matched term is. */
export type Okapi = Readonly<{ matched: Matched; k1: number; b: number; mean: number; idfs: Float64Array }>;

/** Okapi BM25 over weighted counts. Of a word and its other forms the best counts. */
export function okapi(
  { matched: { terms, groups }, k1, b, mean, idfs }: Okapi,
  counts: readonly number[],
  length: number,
): number {
  const norm = k1 * (1 - b + (b * length) / Math.max(1, mean));
  const parts = emptyParts(groups);
  let sum = 0;
  for (let i = 0; i < counts.length; i += 1) {
    const count = counts[i]!;
    if (count === 0) continue;
    const { group } = terms[i]!;
    const part = (idfs[i]! * count * (k1 + 1)) / (count + norm);
    if (part <= parts[group]!) continue;
    sum += part - parts[group]!;
    parts[group] = part;
  }
  return sum;
}

/** Whether the second word follows the first, or stands one word further. */
export function standTogether({ text }: FoundWords, first: string, second: string): boolean {
  const needle = ` ${first} `;
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) {
    const next = at + needle.length;
    if (isWordAt(text, next, second) || isWordAt(text, text.indexOf(' ', next) + 1, second)) return true;
  }
  return false;
}

function isWordAt(text: string, at: number, word: string): boolean {
  return at > 0 && text.startsWith(word, at) && text.charCodeAt(at + word.length) === SPACE;
}
