import { readDataFile } from '../data-file.ts';

let known: ReadonlyMap<string, number> | undefined;

/**
 * How much a word says of what a request is about, 0…1: least where everybody uses it in talk. Among a few hundred tools
 * `something`, `right` and `away` are rare, and rarity alone would take them for the matter. Read when tools are searched for
 * the first time; `scripts/spoken-words.mjs` makes the file, from the subtitles of films.
 */
export function tellingShare(term: string): number {
  known ??= load();
  return known.get(term) ?? 1;
}

function load(): ReadonlyMap<string, number> {
  const file = readDataFile(import.meta.dirname, 'spoken.json') as Readonly<Record<string, string>>;
  return new Map(
    Object.entries(file).flatMap(([hundredths, stems]) =>
      stems.split(' ').map((stem) => [stem, Number(hundredths) / 100] as const),
    ),
  );
}
