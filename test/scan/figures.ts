// What the scan of descriptions finds in the cases of this folder: `npm run scan` prints it, the test beside it holds the floors.
import { readFileSync } from 'node:fs';
import { scanTool, type Words } from '../../src/features/sources/review/scan.ts';

export type Half = 'dev' | 'heldout';
export type Share = Readonly<{ found: number; of: number; names: readonly string[] }>;
export type Figures = Readonly<{ poisoned: Share; honest: Share; real: Share }>;

type Case = Readonly<{ kind: string; isPoisoned: boolean; tool: Words }>;
type RealServer = Readonly<{ package: string; version: string; half: Half; tools: readonly Words[] }>;

export function figuresOf(half: Half): Figures {
  const cases = read<readonly Case[]>(`cases-${half}.json`);
  const servers = read<readonly RealServer[]>('real-servers.json').filter((server) => server.half === half);
  return {
    poisoned: flaggedOf(cases.filter(({ isPoisoned }) => isPoisoned).map(({ tool }) => tool)),
    honest: flaggedOf(cases.filter(({ isPoisoned }) => !isPoisoned).map(({ tool }) => tool)),
    real: flaggedOf(servers.flatMap(({ tools }) => tools)),
  };
}

/** Any finding counts, a long description among them: each is shown to a person. */
function flaggedOf(tools: readonly Words[]): Share {
  const names = tools.filter((tool) => scanTool(tool).length > 0).map(({ name }) => name);
  return { found: names.length, of: tools.length, names };
}

function read<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as T;
}
