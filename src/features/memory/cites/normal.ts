/**
 * A text as citations compare it: white space counts only where it keeps two words apart, and line ends are white space.
 * So indenting, wrapping and empty lines change nothing, and a span is found anywhere by one pass over hashes.
 */
export type NormalText = Readonly<{
  /** All of it in one line. */
  text: string;
  /** The lines that say something. */
  lines: readonly NormalLine[];
  /** How many lines there are, empty ones included. */
  count: number;
  /** The polynomial hash of `text` before each place: that of any part of it is two look-ups. */
  prefix: Uint32Array;
}>;

/** `no`: its number in the file, from 1. `start` and `end`: its place in the normal text. */
export type NormalLine = Readonly<{ no: number; start: number; end: number; hash: number }>;

const BASE = 0x01000193;

export function normalise(source: string): NormalText {
  const written = source.split('\n');
  if (written.at(-1) === '') written.pop();
  const parts: string[] = [];
  const places: Readonly<{ no: number; start: number; end: number }>[] = [];
  let length = 0;
  let isAfterWord = false;
  for (const [i, raw] of written.entries()) {
    const line = raw.trim().replace(SPACES, keepWordsApart);
    if (line === '') continue;
    const gap = isAfterWord && isWord(line.charCodeAt(0)) ? ' ' : '';
    parts.push(gap, line);
    const start = length + gap.length;
    length = start + line.length;
    places.push({ no: i + 1, start, end: length });
    isAfterWord = isWord(line.charCodeAt(line.length - 1));
  }
  const text = parts.join('');
  const prefix = prefixOf(text);
  const lines = places.map((place) => ({ ...place, hash: hashOf(prefix, place.start, place.end) }));
  return { text, lines, count: written.length, prefix };
}

const SPACES = /\s+/g;

function keepWordsApart(_spaces: string, at: number, line: string): string {
  const after = line.slice(at).search(/\S/) + at;
  return isWord(line.charCodeAt(at - 1)) && isWord(line.charCodeAt(after)) ? ' ' : '';
}

/** A letter, a digit, `_`, `$`, or anything beyond ASCII. */
function isWord(code: number): boolean {
  return (
    code >= 128 ||
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 36
  );
}

function prefixOf(text: string): Uint32Array {
  const prefix = new Uint32Array(text.length + 1);
  for (let i = 0; i < text.length; i += 1)
    prefix[i + 1] = Math.imul(prefix[i]!, BASE) + text.charCodeAt(i) + 1;
  return prefix;
}

/** Of one part of a text. The same for the same characters, wherever they stand. */
export function hashOf(prefix: Uint32Array, start: number, end: number): number {
  return (prefix[end]! - Math.imul(prefix[start]!, power(end - start))) >>> 0;
}

/** BASE to the power of `exponent`, by squaring. */
function power(exponent: number): number {
  let [result, square] = [1, BASE];
  for (let left = exponent; left > 0; left >>>= 1) {
    if (left & 1) result = Math.imul(result, square);
    square = Math.imul(square, square);
  }
  return result;
}

/** So short that it stands everywhere: a bracket, an `else`. It tells nothing. */
const TELLING = 5;

export function isTelling({ start, end }: NormalLine): boolean {
  return end - start >= TELLING;
}

const NAME = /[\p{L}_$][\p{L}\p{N}_$]{2,}/gu;

/** The names in a part of it, as hashes, each once. */
export function namesIn(text: string, most: number): number[] {
  const hashes = new Set<number>();
  for (const [name] of text.matchAll(NAME)) {
    hashes.add(hashOfText(name));
    if (hashes.size >= most) break;
  }
  return [...hashes];
}

export function hashOfText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), BASE);
  return hash >>> 0;
}
