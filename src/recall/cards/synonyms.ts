import { readDataFile } from '../data-file.ts';

/** Words that can stand for a word, each with how far: 0…1. */
export type Synonyms = ReadonlyMap<string, ReadonlyMap<string, number>>;

let known: Synonyms | undefined;

/**
 * Read when tools are searched for the first time. `scripts/word-synonyms.mjs` makes the file, from
 * WordNet and from the words by which icons are looked for.
 */
export function wordSynonyms(): Synonyms {
  return (known ??= load());
}

function load(): Synonyms {
  const file = readDataFile(import.meta.dirname, 'synonyms.json') as Readonly<Record<string, string>>;
  const all = new Map<string, Map<string, number>>();
  const put = (from: string, to: string, share: number): void => {
    const others = all.get(from);
    if (others) others.set(to, share);
    else all.set(from, new Map([[to, share]]));
  };
  for (const [tens, groups] of Object.entries(file))
    for (const group of groups.split(',')) {
      const [a = '', ...others] = group.split(' ');
      for (const b of others) {
        put(a, b, Number(tens) / 10);
        put(b, a, Number(tens) / 10);
      }
    }
  return all;
}
