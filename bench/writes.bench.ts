import { hammer, modernCall } from './load.ts';
import { freshFolder, root, startHub, startMeasured } from './process.ts';
import { atLeast, type Row } from './row.ts';

export const title = 'Durable create_task over MCP HTTP, synchronous=FULL';

export async function measure(): Promise<readonly Row[]> {
  const hub = await startHub({ HOLDFAST_LIMIT_ROOT_TASKS: '0' });
  const baseline = await startMeasured(`${root}bench/baselines/one-transaction.mjs`, [], { HOLDFAST_HOME: freshFolder() });
  const call = modernCall('create_task', (i) => ({ title: `task ${i}` }));
  const rows: Row[] = [];
  for (const inFlight of [1, 8, 32]) {
    const oursTotal = inFlight === 1 ? 300 : 4_000;
    const baseTotal = inFlight === 1 ? 300 : 600;
    await hammer({ url: `${hub.address}/api/mcp/tasks`, total: oursTotal / 4, inFlight, ...call });
    const ours = oursTotal / (await hammer({ url: `${hub.address}/api/mcp/tasks`, total: oursTotal, inFlight, ...call }));
    const theirs = baseTotal / (await hammer({ url: baseline.address, total: baseTotal, inFlight, ...call }));
    rows.push({
      what: `${inFlight} in flight, against one transaction per request`,
      ours: `${ours.toFixed(0)}/s`,
      baseline: `${theirs.toFixed(0)}/s`,
      ratio: ours / theirs,
      ...(inFlight === 32 && { hold: atLeast(20) }),
    });
  }
  await Promise.all([hub.stop(), baseline.stop()]);
  return rows;
}
