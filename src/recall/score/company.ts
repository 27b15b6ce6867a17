import type { Ranked } from './ranked.ts';
import { NOTE_WEIGHTS } from './weights.ts';
import { wordHashes } from './word-hashes.ts';

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

function lengthOf(words: Uint16Array, weights: Float64Array): number {
  let squares = 0;
  for (const word of words) squares += weights[word]! ** 2;
  return Math.sqrt(squares) || 1;
}

type Words = Readonly<{
  /** For each note its words, each once, as places in `weights`. */
  texts: readonly Uint16Array[];
  /** The fewer of the notes have a word, the more it weighs; what only one has cannot be in common. */
  weights: Float64Array;
}>;

/**
 * Some hundreds of words with every search, found in a table that is used again. A place of it names a word of this search if
 * that word names the place: so nothing has to be emptied, and all of it stays close to the processor. It is larger than the
 * words can be many: those of 25 notes, each of a letter and a space.
 */
const PLACES = 2 ** 12;
const MOST_WORDS = (COMPARED * LETTERS) / 2 + COMPARED;
const wordAt = new Uint16Array(PLACES);
const placeOf = new Uint16Array(MOST_WORDS);
const hashOf = new Int32Array(MOST_WORDS);
/** In how many of the notes it is, and in which last. */
const having = new Uint8Array(MOST_WORDS);
const seenIn = new Int8Array(MOST_WORDS);
/** The words of all notes, one note after the other. */
const written = new Uint16Array(MOST_WORDS);
let known = 0;

function readWords(pool: readonly Ranked[]): Words {
  known = 0;
  let end = 0;
  const texts = pool.map(({ item: { terms } }, i) => {
    const from = end;
    end = readText(terms, i, from);
    return written.subarray(from, end);
  });
  const rarity = pool.map((_, others) => (others === 0 ? 0 : Math.log(1 + pool.length / (others + 1))));
  const weights = new Float64Array(known);
  for (let word = 0; word < known; word += 1) weights[word] = rarity[having[word]! - 1]!;
  return { texts, weights };
}

/** Writes the words of one note from a place on, each once, and answers where they end. */
function readText(terms: string, note: number, from: number): number {
  let at = from;
  for (const hash of wordHashes(terms, LETTERS)) {
    const word = wordOf(hash);
    if (seenIn[word] === note) continue;
    seenIn[word] = note;
    having[word]! += 1;
    written[at++] = word;
  }
  return at;
}

function wordOf(hash: number): number {
  for (let place = (hash ^ (hash >>> 15)) & (PLACES - 1); ; place = (place + 1) & (PLACES - 1)) {
    const word = wordAt[place]!;
    if (word >= known || placeOf[word] !== place) {
      wordAt[place] = known;
      placeOf[known] = place;
      hashOf[known] = hash;
      having[known] = 0;
      seenIn[known] = -1;
      return known++;
    }
    if (hashOf[word] === hash) return word;
  }
}
