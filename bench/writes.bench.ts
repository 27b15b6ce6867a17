import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { hammer, modernCall } from './load.ts';
import { freshFolder, root, startHub, startMeasured } from './process.ts';
import { atLeast, atMost, median, type Row } from './row.ts';

export const title = 'Durable create_task over MCP HTTP, synchronous=FULL';

const ROUNDS = 5;
const CPU_US = 120;
/** Where a sync is over sooner than this, the processor is the limit and not the disk: then what counts is the CPU alone. */
const SLOW_SYNC_MS = 2;

type Round = Readonly<{ ours: number; theirs: number; cpu: number }>;

/** How many times more a group commit carries than a commit each; the slower the disk, the more. Rounds take turns, so that both see the same disk. */
export async function measure(): Promise<readonly Row[]> {
  const sync = syncMs();
  const hub = await startHub({ HOLDFAST_LIMIT_ROOT_TASKS: '0' });
  const baseline = await startMeasured(`${root}bench/baselines/one-transaction.mjs`, [], {
    HOLDFAST_HOME: freshFolder(),
  });
  const call = modernCall('create_task', (i) => ({ title: `task ${i}` }));
  const rate = async (url: string, inFlight: number, total: number) =>
    total / (await hammer({ url, total, inFlight, ...call }));
  const rows: Row[] = [];
  for (const inFlight of [1, 8, 32]) {
    const rounds: Round[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const before = await hub.cpu();
      const total = 100 * inFlight;
      const ours = await rate(`${hub.address}/api/mcp/tasks`, inFlight, total);
      const cpu = ((await hub.cpu()) - before) / total;
      const theirs = await rate(baseline.address, inFlight, 200);
      if (round > 0) rounds.push({ ours, theirs, cpu });
    }
    rows.push(...rowsOf(inFlight, rounds, sync));
  }
  await Promise.all([hub.stop(), baseline.stop()]);
  return rows;
}

function rowsOf(inFlight: number, rounds: readonly Round[], sync: number): Row[] {
  const perSecond = (values: number[]) => `${median(values).toFixed(0)}/s`;
  const cpu = median(rounds.map((each) => each.cpu));
  const isHeld = inFlight === 32;
  return [
    {
      what: `${inFlight} in flight, against one transaction per request (a sync takes ${sync.toFixed(2)} ms)`,
      ours: perSecond(rounds.map(({ ours }) => ours)),
      baseline: perSecond(rounds.map(({ theirs }) => theirs)),
      ratio: median(rounds.map(({ ours, theirs }) => ours / theirs)),
      ...(isHeld && sync >= SLOW_SYNC_MS && { hold: atLeast(8) }),
    },
    {
      what: `${inFlight} in flight, CPU each`,
      ours: `${cpu.toFixed(0)} µs`,
      baseline: `${CPU_US} µs`,
      ratio: cpu / CPU_US,
      ...(isHeld && { hold: atMost(1) }),
    },
  ];
}

/** What the disk takes for a page that has to be there afterwards. */
function syncMs(): number {
  const file = openSync(join(freshFolder(), 'sync'), 'w');
  const page = Buffer.alloc(4_096, 1);
  const times = Array.from({ length: 50 }, () => {
    const begun = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return performance.now() - begun;
  });
  closeSync(file);
  return median(times);
}
