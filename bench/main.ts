import { readdirSync } from 'node:fs';
import { type BenchOptions, readOptions } from './options.ts';
import { printRows, type Row } from './row.ts';

/** Every `bench/<name>.bench.ts` exports a title and its rows; `npm run bench -- <name> …` runs only those. */
type Suite = Readonly<{ title: string; measure(options: BenchOptions): Promise<readonly Row[]> }>;

const here = new URL('./', import.meta.url);
const { names: chosen, options } = readOptions(process.argv.slice(2));
const names = readdirSync(here)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.replace('.bench.ts', ''))
  .toSorted();
const unknown = chosen.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}. Known: ${names.join(', ')}.`);
  process.exit(2);
}

for (const name of chosen.length > 0 ? chosen : names) {
  const { title, measure } = (await import(new URL(`${name}.bench.ts`, here).href)) as Suite;
  printRows(title, await measure(options));
}
process.exit(0);
