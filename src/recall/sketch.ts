import { wordHashes } from './score/word-hashes.ts';

/** A few bits of each word of a text, and how many different words there are. */
export type Sketch = Readonly<{ bits: Uint32Array; words: number }>;

const PARTS = 8;

export function sketchOf(terms: string): Sketch {
  const bits = new Uint32Array(PARTS);
  const hashes = new Set(wordHashes(terms, Infinity));
  for (const hash of hashes) {
    const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
    bits[mixed % PARTS]! |= 1 << (mixed >>> 27);
  }
  return { bits, words: hashes.size };
}

/**
 * What the overlap of two texts is at most: every bit that one of them has alone is at least one word that the other lacks.
 * Never less than it is (but where two words have one hash, once in millions).
 */
export function mostInCommon(a: Sketch, b: Sketch): number {
  let [onlyA, onlyB] = [0, 0];
  for (let i = 0; i < PARTS; i += 1) {
    onlyA += countBits(a.bits[i]! & ~b.bits[i]!);
    onlyB += countBits(b.bits[i]! & ~a.bits[i]!);
  }
  const shared = Math.min(a.words - onlyA, b.words - onlyB);
  return shared / Math.max(1, a.words + b.words - shared);
}

function countBits(value: number): number {
  let bits = value - ((value >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
