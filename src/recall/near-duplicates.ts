export type Fingerprints = readonly [number, number];

/**
 * Two small fingerprints of a set of words. Each combines the words with the smallest hash under three hash functions:
 * texts that differ in a word or two share at least one of the fingerprints nine times in ten, texts that merely have
 * common words in common hardly ever. So one look-up finds near-duplicates, however much is stored. `salt` keeps scopes apart.
 */
export function fingerprints(terms: Iterable<string>, salt: number): Fingerprints {
  const least = new Uint32Array(6).fill(0xffffffff);
  for (const term of terms) {
    const hash = mix(term);
    for (let i = 0; i < 6; i++) {
      const other = scramble(hash ^ SEEDS[i]!);
      if (other < least[i]!) least[i] = other;
    }
  }
  return [combine(least[0]! ^ salt, least[1]!, least[2]!), combine(least[3]! ^ salt, least[4]!, least[5]!)];
}

const SEEDS = [0x9e3779b9, 0x7f4a7c15, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f, 0x165667b1] as const;

function combine(a: number, b: number, c: number): number {
  const high = scramble(a ^ scramble(b));
  return (high >>> 11) * 2 ** 32 + scramble(c ^ high);
}

/** Share of the words of both texts that both have. */
export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const term of a) if (b.has(term)) shared += 1;
  return shared / Math.max(1, a.size + b.size - shared);
}

/** What one text says and the other does not, as their words were written. */
export type WordDifference = Readonly<{ onlyHere: readonly string[]; onlyThere: readonly string[] }>;

/** Enough to tell two near-duplicates apart. */
const MOST_WORDS = 12;

export function differenceOf(here: string, there: string): WordDifference {
  const [mine, theirs] = [writtenWords(here), writtenWords(there)];
  const only = (words: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): string[] =>
    [...words].flatMap(([word, written]) => (others.has(word) ? [] : [written])).slice(0, MOST_WORDS);
  return { onlyHere: only(mine, theirs), onlyThere: only(theirs, mine) };
}

function writtenWords(text: string): Map<string, string> {
  const words = text.match(/[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}._:/-]*[\p{L}\p{M}\p{N}])?/gu) ?? [];
  return new Map(words.map((word) => [word.toLowerCase(), word]));
}

function mix(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return scramble(hash);
}

function scramble(value: number): number {
  let hash = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}
