import { hammer, modernCall } from './load.ts';
import { freshFolder, root, startHub, startMeasured } from './process.ts';
import { atLeast, median, type Row } from './row.ts';

export const title = 'Durable create_task over MCP HTTP, synchronous=FULL';

const ROUNDS = 5;

/** How many times more a group commit carries than a commit each; the slower the disk, the more. Rounds take turns, so that both see the same disk. */
export async function measure(): Promise<readonly Row[]> {
  const hub = await startHub({ HOLDFAST_LIMIT_ROOT_TASKS: '0' });
  const baseline = await startMeasured(`${root}bench/baselines/one-transaction.mjs`, [], {
    HOLDFAST_HOME: freshFolder(),
  });
  const call = modernCall('create_task', (i) => ({ title: `task ${i}` }));
  const rate = async (url: string, inFlight: number, total: number) =>
    total / (await hammer({ url, total, inFlight, ...call }));
  const rows: Row[] = [];
  for (const inFlight of [1, 8, 32]) {
    const rounds: { ours: number; theirs: number }[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const ours = await rate(`${hub.address}/api/mcp/tasks`, inFlight, 100 * inFlight);
      const theirs = await rate(baseline.address, inFlight, 200);
      if (round > 0) rounds.push({ ours, theirs });
    }
    const perSecond = (values: number[]) => `${median(values).toFixed(0)}/s`;
    rows.push({
      what: `${inFlight} in flight, against one transaction per request`,
      ours: perSecond(rounds.map(({ ours }) => ours)),
      baseline: perSecond(rounds.map(({ theirs }) => theirs)),
      ratio: median(rounds.map(({ ours, theirs }) => ours / theirs)),
      ...(inFlight === 32 && { hold: atLeast(20) }),
    });
  }
  await Promise.all([hub.stop(), baseline.stop()]);
  return rows;
}
