// What following takes of a hub that nobody asked to hurry: its CPU time over the time that passed, the hub's own idling included.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freshFolder, startHub } from './process.ts';
import { atMost, type Row } from './row.ts';
import { writeCorpus } from './session-corpus.ts';

/** A hundred megabytes; BENCH_SECONDS of it are watched, from when the hub has begun to read. */
const TURNS = 100_000;
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 20);
const MOST = 0.1;

export async function measureBackground(): Promise<readonly Row[]> {
  const home = freshFolder();
  writeCorpus(home, TURNS);
  writeFileSync(join(home, 'config.yaml'), 'sessions: { from: [claude-code] }\n');
  const hub = await startHub({ HOME: home, HOLDFAST_HOME: home, CLAUDE_CONFIG_DIR: '' });
  const read = async (): Promise<number> => {
    const answer = await fetch(`${hub.address}/api/sessions/clients`);
    const { clients } = (await answer.json()) as { clients: readonly { turns: number }[] };
    return clients.reduce((sum, { turns }) => sum + turns, 0);
  };
  while ((await read()) === 0) await setTimeout(200);
  const [turns, cpu, begun] = [await read(), await hub.cpu(), performance.now()];
  await setTimeout(SECONDS * 1_000);
  const share = ((await hub.cpu()) - cpu) / 1_000 / (performance.now() - begun);
  const more = (await read()) - turns;
  await hub.stop();
  if (more === 0) throw new Error('Nothing was read in the background.');
  return [
    {
      what: `following in the background, ${more} turns in ${SECONDS} s`,
      ours: `${share.toFixed(3)} of a core`,
      baseline: `${MOST}`,
      ratio: share / MOST,
      hold: atMost(1),
    },
  ];
}
