import { hammer, modernCall } from './load.ts';
import { root, startMeasured, type Measured } from './process.ts';
import { atMost, median, type Row } from './row.ts';

export const title = 'A stateless tools/call (echo): server CPU per call';

/** Many short rounds in turn: what else the machine does then falls on all servers alike. */
const CALLS = 5_000;
const ROUNDS = 9;

export async function measure(): Promise<readonly Row[]> {
  const servers = {
    ours: await startMeasured(`${root}bench/echo-hub.ts`),
    bare: await startMeasured(`${root}bench/baselines/bare-rpc.mjs`),
    sdk: await startMeasured(`${root}bench/baselines/sdk-low-level.mjs`),
  };
  const spent = { ours: [] as number[], bare: [] as number[], sdk: [] as number[] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const name of Object.keys(servers) as (keyof typeof servers)[]) {
      const cpu = await cpuPerCall(servers[name]);
      if (round > 0) spent[name].push(cpu);
    }
  }
  await Promise.all(Object.values(servers).map((server) => server.stop()));
  const [ours, bare, sdk] = [median(spent.ours), median(spent.bare), median(spent.sdk)];
  const us = (value: number) => `${value.toFixed(0)} µs`;
  return [
    {
      what: 'against the SDK’s low-level server',
      ours: us(ours),
      baseline: us(sdk),
      ratio: ours / sdk,
      hold: atMost(1),
    },
    { what: 'against bare node:http', ours: us(ours), baseline: us(bare), ratio: ours / bare },
  ];
}

async function cpuPerCall(server: Measured): Promise<number> {
  const before = await server.cpu();
  await hammer({
    url: server.address,
    total: CALLS,
    inFlight: 16,
    ...modernCall('echo', (i) => ({ message: `hello ${i}` })),
  });
  return ((await server.cpu()) - before) / CALLS;
}
