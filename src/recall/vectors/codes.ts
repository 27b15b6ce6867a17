/**
 * Centred one-bit codes: the sign of each component after the store's mean is taken off. Comparing codes is counting
 * differing bits, fast enough to look at every vector; the few hundred nearest are then compared exactly.
 */
export type Codes = {
  readonly dims: number;
  readonly mean: Float32Array;
  /** One array per 32 dimensions, over all rows: a search reads each from end to end, which costs half of jumping from code to code. */
  columns: Int32Array<ArrayBuffer>[];
  count: number;
};

const FIRST_ROWS = 1_024;

export function createCodes(dims: number, mean: Float32Array): Codes {
  // Bits are counted three words at a time; the words beyond the dimensions stay zero.
  const words = 3 * Math.ceil(dims / 96);
  return { dims, mean, columns: Array.from({ length: words }, () => new Int32Array(FIRST_ROWS)), count: 0 };
}

export function meanOf(vectors: readonly Float32Array[], dims: number): Float32Array {
  const mean = new Float32Array(dims);
  for (const vector of vectors)
    for (let i = 0; i < dims; i++) mean[i] = mean[i]! + vector[i]! / vectors.length;
  return mean;
}

export function appendCode(codes: Codes, vector: Float32Array): void {
  if (codes.count === codes.columns[0]!.length) codes.columns = codes.columns.map(twiceAsLong);
  const code = encode(codes, vector);
  for (let i = 0; i < code.length; i++) codes.columns[i]![codes.count] = code[i]!;
  codes.count += 1;
}

function twiceAsLong(column: Int32Array): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(column.length * 2);
  grown.set(column);
  return grown;
}

/** The sign bit is read as an integer: half of all components fall on either side, and guessing branches would cost most of the time. */
function encode({ dims, mean, columns }: Codes, vector: Float32Array): Int32Array {
  if (offsets.length < dims) {
    offsets = new Float32Array(dims);
    signs = new Uint32Array(offsets.buffer);
  }
  const difference = offsets;
  const bits = signs;
  const code = new Int32Array(columns.length);
  for (let i = 0; i < dims; i++) difference[i] = mean[i]! - vector[i]!;
  for (let i = 0; i < dims; i += 32) {
    let word = 0;
    const end = Math.min(dims, i + 32);
    for (let j = i; j < end; j++) word |= (bits[j]! >>> 31) << (j - i);
    code[i >>> 5] = word;
  }
  return code;
}

let offsets = new Float32Array(0);
let signs = new Uint32Array(0);

type Wanted = Readonly<{ wanted: number; sees?: ((row: number) => boolean) | undefined }>;

/** Rows of the `wanted` nearest codes among those `sees` lets through, or of all. Ties at the border are all included. */
export function nearest(codes: Codes, query: Float32Array, { wanted, sees }: Wanted): number[] {
  const { count, dims } = codes;
  const distances = distancesTo(codes, encode(codes, query));
  const histogram = new Uint32Array(dims + 1);
  for (let row = 0; row < count; row++) {
    if (sees && !sees(row)) distances[row] = UNSEEN;
    else histogram[distances[row]!]!++;
  }
  let border = 0;
  for (let found = 0; border <= dims && found < wanted; border++) found += histogram[border]!;
  const rows: number[] = [];
  for (let row = 0; row < count; row++) if (distances[row]! < border) rows.push(row);
  return rows;
}

const UNSEEN = 0xffff;

function distancesTo({ columns, count }: Codes, code: Int32Array): Uint16Array {
  const distances = new Uint16Array(count);
  for (let i = 0; i < columns.length; i += 3) {
    const [a, b, c] = [columns[i]!, columns[i + 1]!, columns[i + 2]!];
    const [askedA, askedB, askedC] = [code[i]!, code[i + 1]!, code[i + 2]!];
    for (let row = 0; row < count; row++) {
      // Three words fit into groups of four bits, so they are added up before the groups are.
      const fours =
        (countFours(a[row]! ^ askedA) + countFours(b[row]! ^ askedB) + countFours(c[row]! ^ askedC)) | 0;
      const eights = ((fours & 0x0f0f0f0f) + ((fours >>> 4) & 0x0f0f0f0f)) | 0;
      distances[row] = distances[row]! + (Math.imul(eights, 0x01010101) >>> 24);
    }
  }
  return distances;
}

/** How many bits are set in each group of four. */
function countFours(word: number): number {
  const twos = (word - ((word >>> 1) & 0x55555555)) | 0;
  return ((twos & 0x33333333) + ((twos >>> 2) & 0x33333333)) | 0;
}

/**
 * The best of these rows by what the codes tell about an exact question: a differing bit costs as much as the question
 * says in that direction. Much closer to the true order than counting bits, and still without reading a vector.
 */
export function refine(
  codes: Codes,
  query: Float32Array,
  { rows, wanted }: Readonly<{ rows: readonly number[]; wanted: number }>,
): number[] {
  if (rows.length <= wanted) return [...rows];
  const gains = gainsByByte(codes, query);
  const scores = new Float64Array(rows.length);
  for (const [i, column] of codes.columns.entries()) {
    const table = i * 4 * 256;
    for (let at = 0; at < rows.length; at++) {
      const word = column[rows[at]!]!;
      const low = gains[table + (word & 0xff)]! + gains[table + 256 + ((word >>> 8) & 0xff)]!;
      const high = gains[table + 512 + ((word >>> 16) & 0xff)]! + gains[table + 768 + (word >>> 24)]!;
      scores[at] = scores[at]! + low + high;
    }
  }
  const order = Uint32Array.from(rows.keys()).sort((a, b) => scores[b]! - scores[a]!);
  return Array.from(order.subarray(0, wanted), (at) => rows[at]!);
}

/** For each byte of a code, what each of its values gains: the sum of the question's components whose bits are set. */
function gainsByByte({ dims, columns, mean }: Codes, query: Float32Array): Float32Array {
  const bytes = columns.length * 4;
  const gains = new Float32Array(bytes * 256);
  for (let byte = 0; byte < bytes; byte++) {
    const table = byte * 256;
    for (let bit = 0; bit < 8; bit++) {
      const i = byte * 8 + bit;
      const gain = i < dims ? query[i]! - mean[i]! : 0;
      // Every value with this bit as its highest is one without it, plus the gain.
      for (let rest = 0; rest < 1 << bit; rest++)
        gains[table + (1 << bit) + rest] = gains[table + rest]! + gain;
    }
  }
  return gains;
}
