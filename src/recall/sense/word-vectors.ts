import { readDataBytes, readDataFile } from '../data-file.ts';

/** What English words mean, roughly, as directions: words that stand in the same places in public text point the same way. */
export interface WordVectors {
  /** The direction of a text, its words told apart by spaces: what they add up to. */
  directionOf(text: string): Direction;
}

export type Direction = Float64Array;

let known: WordVectors | undefined;

/**
 * Read when first needed: a store that holds no talk never needs it. At once and not later, because a search is part of
 * a transaction, which may wait for nothing but its own statements.
 */
export function wordVectors(): WordVectors {
  return (known ??= load());
}

type VectorFile = Readonly<{ dimensions: number; words: string }>;

function load(): WordVectors {
  const file = readDataFile(import.meta.dirname, 'glove.json') as VectorFile;
  const { dimensions } = file;
  const numbers = unpack(readDataBytes(import.meta.dirname, 'glove.bin'));
  const places = new Map(file.words.split(' ').map((word, i) => [word, i * dimensions]));
  return {
    directionOf(text) {
      const direction = new Float64Array(dimensions);
      for (const word of text.split(' ')) {
        const at = places.get(word);
        if (at === undefined) continue;
        for (let i = 0; i < dimensions; i += 1) direction[i]! += numbers[at + i]!;
      }
      return direction;
    },
  };
}

/** Two numbers in a byte, the lower half first; 8 is nought. */
function unpack(bytes: Uint8Array): Int8Array {
  const numbers = new Int8Array(bytes.length * 2);
  for (let i = 0; i < bytes.length; i += 1) {
    numbers[2 * i] = (bytes[i]! & 15) - 8;
    numbers[2 * i + 1] = (bytes[i]! >> 4) - 8;
  }
  return numbers;
}

/** How alike two directions are, 0…1; nothing is known of a text that has no such word, or is said against another. */
export function likeness(a: Direction, b: Direction): number {
  let [common, ofA, ofB] = [0, 0, 0];
  for (let i = 0; i < a.length; i += 1) {
    common += a[i]! * b[i]!;
    ofA += a[i]! ** 2;
    ofB += b[i]! ** 2;
  }
  return common <= 0 ? 0 : common / Math.sqrt(ofA * ofB);
}
