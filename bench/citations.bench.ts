import { rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredCite } from '../src/features/memory/cites/cite.ts';
import { createCiting } from '../src/features/memory/cites/caller-cites.ts';
import { createSpaces } from '../src/features/projects/projects.ts';
import { createWorkplaces } from '../src/features/projects/workplaces.ts';
import { silentLog } from '../src/kernel/log.ts';
import { localPrincipal } from '../src/kernel/principal.ts';
import { tortureCitations } from '../test/citations/long.ts';
import { git, newRepository } from '../test/fixtures/repositories.ts';
import { freshFolder, root as checkout } from './process.ts';
import { atLeast, atMost, median, type Row } from './row.ts';

export const title = 'Citations: how right they are, and ten hits of ten files with 200 lines each';

/** Sources that shaped no rule; when one does, another is named here. BENCH_FOLDER is for those who look for errors. */
const SOURCES = process.env['BENCH_FOLDER'] ?? `${checkout}node_modules/@tanstack/react-router/src`;
const EDITS = 500;
const SEED = 5;
const RIGHT = 0.98;

const HITS = 10;
const COLD_MS = 10;
const WARM_MS = 1;
/** The first rounds are for the compiler: a hub runs for days. */
const [ROUNDS, WARM_UP] = [60, 20];

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
    const [first, again] = [
      await timed(() => citing.judge(asker, lists)),
      await timed(() => citing.judge(asker, lists)),
    ];
    if (round <= WARM_UP) continue;
    cold.push(first);
    warm.push(again / HITS);
  }
  rmSync(scratch, { recursive: true });
  return [
    await standingRight(),
    row('every file changed since, all ten', median(cold), COLD_MS),
    row('no file changed since, each', median(warm), WARM_MS),
  ];
}

async function standingRight(): Promise<Row> {
  const { share, text } = await tortureCitations({ edits: EDITS, seed: SEED, folder: SOURCES });
  return {
    what: text.slice(0, text.indexOf('\n')),
    ours: `${(share * 100).toFixed(1)} %`,
    baseline: `${(RIGHT * 100).toFixed(0)} %`,
    ratio: share / RIGHT,
    hold: atLeast(1),
  };
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
