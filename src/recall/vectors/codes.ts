/**
 * Centred one-bit codes: the sign of each component after the store's mean is taken off. Comparing codes is counting
 * differing bits, fast enough to look at every vector; the few hundred nearest are then compared exactly.
 */
export type Codes = {
  readonly dims: number;
  readonly words: number;
  mean: Float32Array;
  bits: Uint32Array;
  count: number;
};

export function createCodes(dims: number, mean: Float32Array): Codes {
  const words = Math.ceil(dims / 32);
  return { dims, words, mean, bits: new Uint32Array(words * 1_024), count: 0 };
}

export function meanOf(vectors: readonly Float32Array[], dims: number): Float32Array {
  const mean = new Float32Array(dims);
  for (const vector of vectors) for (let i = 0; i < dims; i++) mean[i] = mean[i]! + vector[i]! / vectors.length;
  return mean;
}

export function appendCode(codes: Codes, vector: Float32Array): void {
  const { words } = codes;
  if ((codes.count + 1) * words > codes.bits.length) {
    const grown = new Uint32Array(codes.bits.length * 2);
    grown.set(codes.bits);
    codes.bits = grown;
  }
  encode(codes, vector, codes.bits, codes.count * words);
  codes.count += 1;
}

/** The sign bit is read as an integer: half of all components fall on either side, and guessing branches would cost most of the time. */
function encode({ dims, mean }: Codes, vector: Float32Array, into: Uint32Array, start: number): void {
  if (offsets.length < dims) {
    offsets = new Float32Array(dims);
    signs = new Uint32Array(offsets.buffer);
  }
  const difference = offsets;
  const bits = signs;
  for (let i = 0; i < dims; i++) difference[i] = mean[i]! - vector[i]!;
  for (let i = 0; i < dims; i += 32) {
    let word = 0;
    const end = Math.min(dims, i + 32);
    for (let j = i; j < end; j++) word |= (bits[j]! >>> 31) << (j - i);
    into[start + (i >>> 5)] = word >>> 0;
  }
}

let offsets = new Float32Array(0);
let signs = new Uint32Array(0);

/** Rows of the `wanted` nearest codes among those `sees` lets through, or of all. Ties at the border are all included. */
export function nearest(codes: Codes, query: Float32Array, wanted: number, sees?: (row: number) => boolean): number[] {
  const { words, bits, count, dims } = codes;
  const asked = new Uint32Array(words);
  encode(codes, query, asked, 0);
  const distances = new Uint16Array(count);
  const histogram = new Uint32Array(dims + 1);
  for (let row = 0, at = 0; row < count; row++, at += words) {
    let distance = 0;
    for (let i = 0; i < words; i++) distance += countBits(bits[at + i]! ^ asked[i]!);
    if (sees && !sees(row)) {
      distances[row] = UNSEEN;
      continue;
    }
    distances[row] = distance;
    histogram[distance] = histogram[distance]! + 1;
  }
  let border = 0;
  for (let found = 0; border <= dims && found < wanted; border++) found += histogram[border]!;
  const rows: number[] = [];
  for (let row = 0; row < count; row++) if (distances[row]! < border) rows.push(row);
  return rows;
}

/**
 * The best of these rows by what the codes tell about an exact question: a differing bit costs as much as the question
 * says in that direction. Much closer to the true order than counting bits, and still without reading a vector.
 */
export function refine(codes: Codes, query: Float32Array, rows: readonly number[], wanted: number): number[] {
  if (rows.length <= wanted) return [...rows];
  const { dims, words, bits, mean } = codes;
  const asked = query.map((value, i) => value - mean[i]!);
  const scored = rows.map((row) => {
    let score = 0;
    for (let i = 0; i < dims; i++) {
      const sign = ((bits[row * words + (i >>> 5)]! >>> (i & 31)) & 1) * 2 - 1;
      score += sign * asked[i]!;
    }
    return { row, score };
  });
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, wanted)
    .map(({ row }) => row);
}

const UNSEEN = 0xffff;

function countBits(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
