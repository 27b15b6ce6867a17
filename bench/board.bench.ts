import { join } from 'node:path';
import { claimRace, fillBoard } from '../test/torture/claim-race.ts';
import { hammer, modernCall } from './load.ts';
import { freshFolder, root, startHub, type Measured } from './process.ts';
import { atLeast, atMost, type Row } from './row.ts';

export const title = 'The board: 10,000 tasks';

const TASKS = 10_000;

export async function measure(): Promise<readonly Row[]> {
  const home = freshFolder();
  const env = {
    HOLDFAST_HOME: home,
    CLAWBOO_DB_PATH: join(home, 'holdfast.db'),
    HOLDFAST_LIMIT_ROOT_TASKS: '0',
  };
  const hub = await startHub(env);
  await fillBoard(hub.address, 100);
  const small = await cpuPer(hub, 'list_tasks', 300);
  await fillBoard(hub.address, TASKS - 100);
  const create = await cpuPer(hub, 'create_task', 2_000, (i) => ({ title: `more ${i}`, status: 'backlog' }));
  const large = await cpuPer(hub, 'list_tasks', 300);
  const race = await claimRace(`${root}dist/bin/clawboo-mcp-tasks.js`, 8, { ...process.env, ...env });
  await hub.stop();
  const us = (value: number) => `${value.toFixed(0)} µs`;
  if (race.claims !== TASKS || race.distinct !== TASKS)
    throw new Error(`${race.claims} claims of ${race.distinct} tasks`);
  return [
    {
      what: 'list_tasks (first 100), against a board of 100',
      ours: us(large),
      baseline: us(small),
      ratio: large / small,
      hold: atMost(1.5),
    },
    {
      what: 'create_task, CPU, against list_tasks of 100',
      ours: us(create),
      baseline: us(small),
      ratio: create / small,
    },
    {
      what: `claims by 8 processes (${race.refusals} refusals), least share of the fair one`,
      ours: `${(race.claims / race.seconds).toFixed(0)}/s`,
      baseline: 'fair share 1',
      ratio: race.refusals === 0 ? race.leastShare : 0,
      hold: atLeast(0.5),
    },
  ];
}

async function cpuPer(
  hub: Measured,
  tool: string,
  total: number,
  args: (i: number) => object = () => ({}),
): Promise<number> {
  const load = { url: `${hub.address}/api/mcp/tasks`, inFlight: 8, ...modernCall(tool, args) };
  await hammer({ ...load, total: 100 });
  const before = await hub.cpu();
  await hammer({ ...load, total });
  return ((await hub.cpu()) - before) / total;
}
