import { join } from 'node:path';
import { growBoard } from './growth-board.ts';
import { hammer, modernCall } from './load.ts';
import { freshFolder, type Measured, startHub } from './process.ts';
import { atMost, type Row } from './row.ts';

export const title = 'Growth: the hub’s CPU per call on a board of 1,000 tasks and on a larger one';

const SIZES = [1_000, 10_000, 100_000];

type Operation = Readonly<{ what: string; tool: string; args: (i: number) => object; calls: number }>;
const OPERATIONS: readonly Operation[] = [
  {
    what: 'list what is ready, 20',
    tool: 'list_tasks',
    args: () => ({ ready: true, limit: 20 }),
    calls: 100,
  },
  { what: 'a team’s page, 50', tool: 'list_tasks', args: () => ({ teamId: 'team-7' }), calls: 100 },
  { what: 'the first page, 50', tool: 'list_tasks', args: () => ({}), calls: 100 },
  {
    what: 'create',
    tool: 'create_task',
    args: (i) => ({ title: `more ${i}`, status: 'backlog' }),
    calls: 300,
  },
  { what: 'claim the next', tool: 'claim_next_task', args: (i) => ({ agentId: `agent-${i}` }), calls: 200 },
];

export async function measure(): Promise<readonly Row[]> {
  const costs = new Map<number, readonly number[]>();
  for (const size of SIZES) costs.set(size, await costsAt(size));
  const base = costs.get(SIZES[0]!)!;
  return OPERATIONS.flatMap(({ what }, k) =>
    SIZES.slice(1).map((size) => ({
      what: `${what}: ${size.toLocaleString('en')} tasks`,
      ours: `${costs.get(size)![k]!.toFixed(0)} µs`,
      baseline: `${base[k]!.toFixed(0)} µs`,
      ratio: costs.get(size)![k]! / base[k]!,
      hold: atMost(2),
    })),
  );
}

async function costsAt(size: number): Promise<number[]> {
  const home = freshFolder();
  const file = join(home, 'holdfast.db');
  const env = { HOLDFAST_HOME: home, CLAWBOO_DB_PATH: file, HOLDFAST_LIMIT_ROOT_TASKS: '0' };
  await (await startHub(env)).stop();
  growBoard(file, size);
  const hub = await startHub(env);
  try {
    const costs: number[] = [];
    for (const operation of OPERATIONS) costs.push(await cpuOf(hub, operation));
    return costs;
  } finally {
    await hub.stop();
  }
}

/** The best of three: what else the hub does in between is not the call's. */
async function cpuOf(hub: Measured, { tool, args, calls }: Operation): Promise<number> {
  let begun = 0;
  const next = () => args(begun++);
  const load = { url: `${hub.address}/api/mcp/tasks`, inFlight: 4, ...modernCall(tool, next) };
  await hammer({ ...load, total: 30 });
  const found: number[] = [];
  for (let round = 0; round < 3; round++) {
    const before = await hub.cpu();
    await hammer({ ...load, total: calls });
    found.push(((await hub.cpu()) - before) / calls);
  }
  return Math.min(...found);
}
