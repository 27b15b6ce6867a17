import { rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredCite } from '../src/features/memory/cites/cite.ts';
import { createCiting } from '../src/features/memory/cites/citing.ts';
import { createSpaces } from '../src/features/projects/projects.ts';
import { createWorkplaces } from '../src/features/projects/workplaces.ts';
import { silentLog } from '../src/kernel/log.ts';
import { localPrincipal } from '../src/kernel/principal.ts';
import { git, newRepository } from '../test/fixtures/repositories.ts';
import { freshFolder } from './process.ts';
import { atMost, median, type Row } from './row.ts';

export const title = 'Citations: ten hits, each of a file of its own with 200 lines';

const HITS = 10;
const COLD_MS = 10;
const WARM_MS = 1;
const ROUNDS = 40;

export async function measure(): Promise<readonly Row[]> {
  const scratch = freshFolder();
  const root = newRepository(join(scratch, 'repo'));
  mkdirSync(join(root, 'src'));
  const write = (round: number) => {
    for (let i = 0; i < HITS; i += 1)
      writeFileSync(
        join(root, `src/file${i}.ts`),
        Array.from({ length: 200 }, (_, at) => `export const value${at} = compute(${i}, ${at});`).join('\n') +
          `\n// round ${round}\n`,
      );
  };
  write(0);
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'first');
  const home = join(scratch, 'home');
  const workplaces = createWorkplaces({ home, workspace: undefined, find: async () => undefined });
  const spaces = createSpaces({ scratch: join(home, 'workspace'), closed: [home] });
  const projects = { workplaces, checkoutOf: async () => undefined };
  const citing = createCiting({ projects, spaces, log: silentLog, patienceMs: 1_000 });
  const asker = { who: { ...localPrincipal('bench'), folder: root }, via: 'tool' as const };
  const lists: StoredCite[][] = [];
  for (let i = 0; i < HITS; i += 1)
    lists.push(await citing.take(asker, { given: [`src/file${i}.ts:100-112`], text: '' }));
  const cold: number[] = [];
  const warm: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    write(round);
    cold.push(await timed(() => citing.judge(asker, lists)));
    warm.push((await timed(() => citing.judge(asker, lists))) / HITS);
  }
  rmSync(scratch, { recursive: true });
  return [
    row('every file changed since, all ten', median(cold), COLD_MS),
    row('no file changed since, each', median(warm), WARM_MS),
  ];
}

async function timed(work: () => Promise<readonly { state: string }[][]>): Promise<number> {
  const started = performance.now();
  const answer = await work();
  const spent = performance.now() - started;
  if (answer.flat().some(({ state }) => state !== 'fresh')) throw new Error('a citation was not found');
  return spent;
}

function row(what: string, spent: number, wanted: number): Row {
  return {
    what,
    ours: `${spent.toFixed(2)} ms`,
    baseline: `${wanted.toFixed(2)} ms`,
    ratio: spent / wanted,
    hold: atMost(1),
  };
}
