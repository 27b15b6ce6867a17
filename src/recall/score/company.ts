import type { Ranked } from './ranked.ts';
import { NOTE_WEIGHTS } from './weights.ts';

/** Hits that stay where their own words put them; hits that show what the answer is like; hits that are compared. */
const KEPT = 3;
const BEST = 5;
const COMPARED = 25;
/** How much of its arrears a note can make up: not all, or it would be level with the third. */
const MOST = 0.99;
/** About thirty words: what a note is about is said at its beginning, and the rest takes time. */
const LETTERS = 200;

/**
 * Words keep company: a note that has many words in common with the best hits may be the answer though it has few words
 * of the question. It makes up part of what it is behind the third hit, and never passes the first three.
 */
export function preferCompany(notes: readonly Ranked[]): readonly Ranked[] {
  const sorted = notes.toSorted((a, b) => b.score - a.score || b.item.number - a.item.number);
  const pool = sorted.slice(0, COMPARED);
  const [first, last] = [pool[0], pool[KEPT - 1]];
  if (pool.length <= KEPT || !first || !last || first.score <= 0) return sorted;
  const { texts, weights } = readWords(pool);
  const lengths = texts.map((words) => lengthOf(words, weights));
  const shares = pool.slice(0, BEST).map(({ score }) => (score / first.score) ** 3);
  const typical = new Float64Array(weights.length);
  for (const [i, share] of shares.entries())
    for (const word of texts[i]!) typical[word]! += (share * weights[word]!) / lengths[i]!;
  const all = shares.reduce((sum, share) => sum + share, 0);
  return sorted.map((note, i) => {
    if (i < KEPT || i >= pool.length) return note;
    let common = 0;
    for (const word of texts[i]!) common += weights[word]! * typical[word]!;
    // What it has in common with itself says nothing.
    const own = shares[i] ?? 0;
    const alike = (common / lengths[i]! - own) / (all - own);
    const company = Math.min(MOST, NOTE_WEIGHTS.company * alike) * (last.score - note.score);
    return company <= 0 ? note : { ...note, score: note.score + company, parts: { ...note.parts, company } };
  });
}

function lengthOf(words: readonly number[], weights: Float64Array): number {
  let squares = 0;
  for (const word of words) squares += weights[word]! ** 2;
  return Math.sqrt(squares) || 1;
}

type Words = Readonly<{
  /** For each note its words, each once, as places in `weights`. */
  texts: readonly (readonly number[])[];
  /** The fewer of the notes have a word, the more it weighs; what only one has cannot be in common. */
  weights: Float64Array;
}>;

/**
 * Some hundreds of words with every search, so they are told apart by a number made of their letters and found in a table
 * that is used again: two words with one number, once in a million, only look like one. It is small enough to stay close to
 * the processor, and twice as large as the words can be many: those of 25 notes, each of a letter and a space.
 */
const PLACES = 2 ** 13;
/** What a place holds, side by side: the search it was used in last, the word, and where that stands in `weights`. */
const SLOT = 4;
const table = new Int32Array(PLACES * SLOT);
let round = 0;

function readWords(pool: readonly Ranked[]): Words {
  round = (round + 1) | 0;
  const having: number[] = [];
  const seenIn: number[] = [];
  const texts = pool.map(({ item: { terms } }, i) => {
    const words: number[] = [];
    const end = Math.min(LETTERS, terms.length);
    let word = BASIS;
    for (let at = 0; at <= end; at += 1) {
      const letter = at === end ? SPACE : terms.charCodeAt(at);
      if (letter !== SPACE) {
        word = Math.imul(word ^ letter, PRIME);
        continue;
      }
      const place = slotOf(word, having);
      word = BASIS;
      if (seenIn[place] === i) continue;
      seenIn[place] = i;
      having[place]! += 1;
      words.push(place);
    }
    return words;
  });
  const rarity = pool.map((_, others) => (others === 0 ? 0 : Math.log(1 + pool.length / (others + 1))));
  return { texts, weights: Float64Array.from(having, (count) => rarity[count - 1]!) };
}

const SPACE = 32;
/** FNV-1a. */
const BASIS = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

function slotOf(word: number, having: number[]): number {
  for (let at = (word ^ (word >>> 15)) & (PLACES - 1); ; at = (at + 1) & (PLACES - 1)) {
    const slot = at * SLOT;
    if (table[slot] !== round) {
      table[slot] = round;
      table[slot + 1] = word;
      return (table[slot + 2] = having.push(0) - 1);
    }
    if (table[slot + 1] === word) return table[slot + 2]!;
  }
}
