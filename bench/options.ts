// What `npm run bench -- NAME… --sizes 1000,10000 --engine sqlite|postgres|both --facts 1000000 --keep FOLDER --record` says beside the names.
export type Engine = 'sqlite' | 'postgres';
export type BenchOptions = Readonly<{
  sizes: readonly number[] | undefined;
  engines: readonly Engine[];
  /** Facts and memories of a Being are filed one by one, as agents file them: more than these take long to seed. */
  mostFacts: number;
  /** What was seeded stays here, and the next run asks a copy of it: to seed a million takes long, on a busy machine as well as on a quiet one. */
  keep: string | undefined;
  /** The figures are also kept in the repository, where plots and pages are made of them. */
  isRecorded: boolean;
}>;

export function readOptions(args: readonly string[]): Readonly<{ names: string[]; options: BenchOptions }> {
  const names: string[] = [];
  let sizes: readonly number[] | undefined;
  let engines: readonly Engine[] = ['sqlite'];
  let mostFacts = 100_000;
  let keep: string | undefined;
  let isRecorded = false;
  for (let i = 0; i < args.length; i += 1) {
    const arg = args[i]!;
    if (arg === '--sizes') sizes = readSizes(args[++i]);
    else if (arg === '--engine') engines = readEngines(args[++i]);
    else if (arg === '--facts') [mostFacts] = readSizes(args[++i]) as [number];
    else if (arg === '--keep') keep = args[++i];
    else if (arg === '--record') isRecorded = true;
    else if (arg.startsWith('--')) throw new Error(`There is no option ${arg}.`);
    else names.push(arg);
  }
  return { names, options: { sizes, engines, mostFacts, keep, isRecorded } };
}

function readSizes(text = ''): readonly number[] {
  const sizes = text.split(',').map(Number);
  if (sizes.some((size) => !Number.isInteger(size) || size < 100))
    throw new Error('Sizes are whole numbers from 100 on, separated by commas.');
  return sizes.toSorted((a, b) => a - b);
}

function readEngines(text = ''): readonly Engine[] {
  if (text === 'both') return ['sqlite', 'postgres'];
  if (text === 'sqlite' || text === 'postgres') return [text];
  throw new Error('--engine takes sqlite, postgres or both.');
}
