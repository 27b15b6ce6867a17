import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Haul } from './claimer.ts';

const script = fileURLToPath(new URL('claimer.ts', import.meta.url));

export type RaceReport = Readonly<{
  hauls: readonly Haul[];
  distinct: number;
  claims: number;
  refusals: number;
  seconds: number;
  leastShare: number;
}>;

/** So many processes claim from one board at the same moment, through the hub. */
export async function claimRace(bin: string, processes: number, env: NodeJS.ProcessEnv): Promise<RaceReport> {
  const runners = Array.from({ length: processes }, (_, i) =>
    fork(script, [bin, `claimer-${i}`], {
      env,
      execArgv: ['--no-warnings'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    }),
  );
  try {
    return await race(runners);
  } finally {
    for (const runner of runners) runner.kill('SIGKILL');
  }
}

async function race(runners: readonly ChildProcess[]): Promise<RaceReport> {
  await Promise.all(runners.map((runner) => once(runner, 'message')));
  const started = performance.now();
  const hauls = await Promise.all(
    runners.map(async (runner) => {
      const answer = once(runner, 'message') as Promise<[Haul]>;
      runner.send('go');
      return (await answer)[0];
    }),
  );
  const ids = hauls.flatMap((haul) => haul.ids);
  return {
    hauls,
    distinct: new Set(ids).size,
    claims: ids.length,
    refusals: hauls.reduce((sum, haul) => sum + haul.refusals.length, 0),
    seconds: (performance.now() - started) / 1000,
    leastShare: Math.min(...hauls.map((haul) => haul.ids.length)) / (ids.length / runners.length),
  };
}

/** Fills a board over REST, many at a time. */
export async function fillBoard(address: string, count: number): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      while (next < count) {
        const response = await fetch(`${address}/api/board/tasks`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ title: `task ${next++}` }),
        });
        if (!response.ok) throw new Error(`create answered ${response.status}: ${await response.text()}`);
        await response.arrayBuffer();
      }
    }),
  );
}
