// The same work for one hub or several on one PostgreSQL, step by step: what each kind of call costs the hubs and the server.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCorpus } from './memory-corpus.ts';
import { hammer, modernCall } from './load.ts';
import { freshFolder, type Measured, startHub } from './process.ts';
import type { ServerCpu } from './server-cpu.ts';

/** CPU of one call, in milliseconds: of all hubs together, and of the server. */
export type StepCost = Readonly<{ hub: number; server: number }>;
export type Costs = Readonly<Record<string, StepCost>>;
export type ScaleHub = Readonly<{ measured: Measured; token: string }>;

type Step = Readonly<{ what: string; room: string; tool: string; args(i: number): object }>;

const IN_FLIGHT = 4;

export async function openHubs(count: number, url: string, schema: string): Promise<readonly ScaleHub[]> {
  const hubs: ScaleHub[] = [];
  for (let i = 0; i < count; i += 1) {
    const home = freshFolder();
    const measured = await startHub({
      HOLDFAST_HOME: home,
      HOLDFAST_DATABASE_URL: url,
      HOLDFAST_DATABASE_SCHEMA: schema,
      HOLDFAST_EMBEDDING: 'none',
      HOLDFAST_LIMIT_ROOT_TASKS: '0',
    });
    hubs.push({ measured, token: readFileSync(join(home, 'token'), 'utf8').trim() });
  }
  return hubs;
}

/** `busy` hubs are asked, `calls` times each step and hub; what all of them spend counts. */
export async function costsOf(
  hubs: readonly ScaleHub[],
  server: ServerCpu,
  { busy = hubs.length, calls }: Readonly<{ busy?: number; calls: number }>,
): Promise<Costs> {
  const asked = hubs.slice(0, busy);
  const costs: Record<string, StepCost> = {};
  const claimed: object[] = [];
  for (const step of stepsOf(claimed)) {
    const hubCpu = async () =>
      (await Promise.all(hubs.map(({ measured }) => measured.cpu()))).reduce((sum, each) => sum + each, 0);
    const ask = (each: number) =>
      Promise.all(
        asked.map((hub, which) => askHub(hub, step, { calls: each, offset: which * calls, claimed })),
      );
    // What is built by the first call is not of every call. A claim that was taken has to be finished, each once.
    if (!/finish|claim/.test(step.what)) await ask(20);
    const before = [await hubCpu(), server.cpu()] as const;
    await ask(calls);
    // What the others hear of it, they hear a moment later.
    await new Promise((resolve) => setTimeout(resolve, 400));
    const total = calls * busy * 1_000;
    costs[step.what] = {
      hub: ((await hubCpu()) - before[0]) / total,
      server: (server.cpu() - before[1]) / total,
    };
  }
  return costs;
}

type Asked = Readonly<{ calls: number; offset: number; claimed: object[] }>;

async function askHub({ measured, token }: ScaleHub, step: Step, asked: Asked): Promise<void> {
  const { headers, body, check } = modernCall(step.tool, (i) => step.args(i + asked.offset));
  await hammer({
    url: `${measured.address}/api/mcp/${step.room}?profile=extended`,
    total: asked.calls,
    inFlight: IN_FLIGHT,
    headers: { ...headers, authorization: `Bearer ${token}` },
    body,
    check(text) {
      check!(text);
      if (step.what === 'claim the next') asked.claimed.push(claimIn(text));
    },
  });
}

function claimIn(text: string): object {
  const [taskId, fence] = [/"id":"([^"]+)"/.exec(text)?.[1], /"fence":(\d+)/.exec(text)?.[1]];
  if (taskId === undefined || fence === undefined)
    throw new Error(`Nothing was claimed: ${text.slice(0, 500)}`);
  return { taskId, fence: Number(fence) };
}

function stepsOf(claimed: readonly object[]): readonly Step[] {
  const corpus = createCorpus(7);
  return [
    { what: 'create', room: 'tasks', tool: 'create_task', args: (i) => ({ title: `task ${i}` }) },
    {
      what: 'claim the next',
      room: 'tasks',
      tool: 'claim_next_task',
      args: (i) => ({ assigneeAgentId: `agent-${i}` }),
    },
    {
      what: 'finish',
      room: 'tasks',
      tool: 'update_task_status',
      args: (i) => ({ ...claimed[i], status: 'done' }),
    },
    { what: 'list ready, 20', room: 'tasks', tool: 'list_tasks', args: () => ({ ready: true, limit: 20 }) },
    {
      what: 'save a fact',
      room: 'memory',
      tool: 'memory_save',
      args: (i) => ({ title: `fact ${i} ${Math.random()}`, content: corpus.fact(i).content }),
    },
    {
      what: 'search facts',
      room: 'memory',
      tool: 'memory_search',
      args: () => ({ query: corpus.question().slice(0, 3).join(' ') }),
    },
    {
      what: 'post to a room',
      room: 'teamchat',
      tool: 'team_chat_post',
      args: (i) => ({ teamId: 'scale', text: `said ${i}`, authorAgentId: `agent-${i % 10}` }),
    },
  ];
}
