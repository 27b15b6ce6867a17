// Sixteen clients that take, give back, finish, assign and look at the same few tasks at the same moment, while something
// breaks now and then. What each of them asked and was told is a history.
import { pause } from '../../src/kernel/clock.ts';
import { modernCall } from '../fixtures/modern-call.ts';
import type { Answer, Asked, Call } from './history.ts';

export const LEASE_MS = 2_000;

export type Recording = Readonly<{
  /** Hubs on one database; a client asks any of them. */
  addresses: readonly string[];
  clients: number;
  /** As many tasks are on the board at a time. */
  tasks: number;
  calls: number;
  /** Breaks something and mends it, again and again until it is told to stop. */
  disturb(isOver: () => boolean): Promise<void>;
}>;

/** More than this, and looking for an order takes longer than making the history. */
const CALLS_OF_A_TASK = 70;
const PATIENCE_MS = 8_000;
/** The hub did not say what became of it. */
const UNSAID = new Set(['unavailable', 'busy', 'internal', 'timeout']);

type Spot = { id: string; asked: number };

export async function record({
  addresses,
  clients,
  tasks,
  calls,
  disturb,
}: Recording): Promise<readonly Call[]> {
  const history: Call[] = [];
  const spots: Spot[] = [];
  for (let i = 0; i < tasks; i += 1) spots.push({ id: await makeTask(addresses), asked: 0 });
  let isOver = false;
  const disturbing = disturb(() => isOver);
  await Promise.all(Array.from({ length: clients }, (_, client) => play(client)));
  isOver = true;
  await disturbing;
  return history;

  async function play(client: number): Promise<void> {
    const agent = `client-${client}`;
    const fences = new Map<string, number>();
    while (history.length < calls) {
      const spot = spots[Math.floor(Math.random() * spots.length)]!;
      const task = spot.id;
      spot.asked += 1;
      if (spot.asked === CALLS_OF_A_TASK) Object.assign(spot, { id: await makeTask(addresses), asked: 0 });
      const asked = choose(agent, fences.get(task));
      const call = await perform(client, task, asked);
      history.push(call);
      if (asked.op === 'claim' && call.answer.is === 'taken') fences.set(task, call.answer.fence);
      // Whoever holds something keeps it for a while, now and then until its lease is over.
      await pause(Math.random() < 0.03 ? LEASE_MS * 1.5 : Math.random() * 40);
    }
  }

  function choose(agent: string, fence: number | undefined): Asked {
    const dice = Math.random();
    if (dice < 0.2) return { op: 'read' };
    if (fence !== undefined && dice < 0.55) return { op: 'release', fence };
    if (fence !== undefined && dice < 0.6) return { op: 'finish', fence };
    if (dice < 0.63) return { op: 'assign', agent: `client-${Math.floor(Math.random() * clients)}` };
    return { op: 'claim', agent };
  }

  async function perform(client: number, task: string, asked: Asked): Promise<Call> {
    const began = performance.now();
    const answer = await ask(any(addresses), task, asked).catch((): Answer => ({ is: 'lost' }));
    const ended = answer.is === 'lost' ? Infinity : performance.now();
    // Between a lost call and the next one the hub may still be at it; it is one call all the same.
    if (answer.is === 'lost') await pause(50);
    return { client, task, asked, answer, began, ended };
  }
}

const TOOL = {
  claim: 'claim_task',
  assign: 'assign_task',
  release: 'release_task',
  finish: 'update_task_status',
  read: 'get_task',
};

async function ask(address: string, taskId: string, asked: Asked): Promise<Answer> {
  const args = {
    taskId,
    ...('agent' in asked && { assigneeAgentId: asked.agent }),
    ...('fence' in asked && { fence: asked.fence }),
    ...(asked.op === 'finish' && { status: 'done' }),
  };
  const { isError, structuredContent: told } = await callTool(address, TOOL[asked.op], args);
  if (isError) return UNSAID.has(told.code) ? { is: 'lost' } : { is: 'refused', code: told.code };
  if (asked.op === 'read') {
    const { status, assigneeAgentId } = (told.task ?? told) as {
      status: string;
      assigneeAgentId: string | null;
    };
    return { is: 'seen', status, holder: assigneeAgentId };
  }
  return asked.op === 'claim' ? { is: 'taken', fence: told.fence } : { is: 'ok' };
}

/** Tasks are made by somebody who may ask again: what is not known to be there is played by nobody. */
async function makeTask(addresses: readonly string[]): Promise<string> {
  for (;;) {
    try {
      const { isError, structuredContent } = await callTool(any(addresses), 'create_task', {
        title: 'Hold me',
      });
      if (!isError) return structuredContent.id;
    } catch {
      // The hub is away for a moment.
    }
    await pause(50);
  }
}

async function callTool(address: string, name: string, args: object): Promise<Told> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const response = await modernCall(`${address}/api/mcp/tasks?profile=extended`, { name, args, signal });
  return ((await response.json()) as { result: Told }).result;
}

type Told = Readonly<{ isError?: boolean; structuredContent: any }>;

function any<T>(items: readonly T[]): T {
  return items[Math.floor(Math.random() * items.length)]!;
}
