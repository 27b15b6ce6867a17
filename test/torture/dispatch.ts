import { setTimeout as sleep } from 'node:timers/promises';
import { markedProcesses } from '../fixtures/marked-processes.ts';
import { callRest } from '../fixtures/rest-call.ts';

/**
 * Runs, hubs and agents killed at random while agents empty a board: afterwards every task is finished once or free, every run is over
 * and its stream ends with `terminal`, and no process of any run lives.
 */
export type DispatchPlan = Readonly<{
  tasks: number;
  atOnce: number;
  killEveryMs: number;
  maxMs: number;
  instances: readonly string[];
  project: string;
  token: string;
  /** Starts a hub, or another after it was killed. */
  startHub(): Promise<Readonly<{ address: string; pid: number; kill(): Promise<void> }>>;
}>;

export type DispatchReport = Readonly<{
  violations: readonly string[];
  runs: number;
  hubKills: number;
  agentKills: number;
  cancels: number;
  ms: number;
}>;

type Told = { task_id: string; status: string; board_task?: string; worktree?: { branch: string } };

export async function tortureDispatch(plan: DispatchPlan): Promise<DispatchReport> {
  const began = Date.now();
  const violations: string[] = [];
  const counts = { hubKills: 0, agentKills: 0, cancels: 0 };
  let hub = await plan.startHub();
  const started = new Set<string>();

  async function ask<T>(method: string, path: string, body?: object): Promise<T | undefined> {
    try {
      const place = { at: hub.address, token: plan.token, patienceMs: 20_000 };
      const answer = await callRest(place, [method, path], body);
      return answer.status < 300 ? (answer.body as T) : undefined;
    } catch {
      return undefined;
    }
  }

  for (let i = 0; i < plan.tasks; i += 1) await ask('POST', '/api/board/tasks', { title: `task ${i}` });

  const open = async () =>
    (await ask<{ tasks: Told[] }>('GET', '/v1/biam/tasks?status=pending,active&limit=1000'))?.tasks;
  const left = async () => {
    const page = await ask<{ tasks: { status: string }[] }>('GET', '/api/board/tasks?limit=500');
    return page?.tasks.filter(({ status }) => status !== 'done').length;
  };

  let isOver = false;
  const driving = (async () => {
    for (let turn = 0; !isOver; turn += 1) {
      const running = await open();
      if (running && running.length < plan.atOnce) {
        const instance = plan.instances[turn % plan.instances.length]!;
        const answer = await ask<{ started: boolean; task?: Told }>('POST', '/v1/runs', {
          instance,
          project: plan.project,
        });
        if (answer?.task) started.add(answer.task.task_id);
        if (answer?.started === false) await sleep(100);
      } else await sleep(50);
    }
  })();

  const killing = (async () => {
    while (!isOver) {
      await sleep(plan.killEveryMs * (0.5 + Math.random()));
      const dice = Math.random();
      if (dice < 0.25) {
        counts.hubKills += 1;
        await hub.kill();
        hub = await plan.startHub();
      } else if (dice < 0.75) {
        // Of this hub's alone: whoever runs the tests may be an agent of a hub, and carries such a mark itself.
        const mine = new Set((await open())?.map(({ task_id: id }) => id));
        const victims = markedProcesses().filter(({ run }) => mine.has(run));
        const victim = victims[Math.floor(Math.random() * victims.length)];
        if (victim) {
          counts.agentKills += 1;
          tryKill(victim.pid);
        }
      } else {
        const running = (await open()) ?? [];
        const victim = running[Math.floor(Math.random() * running.length)];
        if (victim && (await ask('POST', `/v1/biam/tasks/${victim.task_id}/cancel`))) counts.cancels += 1;
      }
    }
  })();

  while (Date.now() - began < plan.maxMs && (await left()) !== 0) await sleep(200);
  isOver = true;
  await Promise.all([driving, killing]);
  await settle();

  const remaining = await left();
  if (remaining !== 0) violations.push(`${remaining} tasks were not done in time`);
  const all = (await ask<{ tasks: Told[] }>('GET', '/v1/biam/tasks?limit=1000'))?.tasks ?? [];
  for (const run of all) {
    if (['pending', 'active'].includes(run.status))
      violations.push(`run ${run.task_id} is still ${run.status}`);
    const last = await lastEvent(run.task_id);
    if (last !== 'terminal') violations.push(`the stream of run ${run.task_id} ended with ${last}`);
  }
  for (const id of started)
    if (!all.some((run) => run.task_id === id)) violations.push(`run ${id} was acknowledged and is gone`);
  const done = Map.groupBy(
    all.filter(({ status }) => status === 'done'),
    ({ board_task: task }) => task ?? '',
  );
  for (const [task, runs] of done)
    if (runs.length > 1) violations.push(`task ${task} was done ${runs.length} times`);
  const strays = markedProcesses().filter(({ run }) => all.some(({ task_id: id }) => id === run));
  for (const { pid, run } of strays) violations.push(`process ${pid} of run ${run} lives`);
  await hub.kill();
  return { violations, runs: all.length, ...counts, ms: Date.now() - began };

  async function settle(): Promise<void> {
    for (let i = 0; i < 150 && ((await open()) ?? [1]).length > 0; i += 1) await sleep(200);
  }

  async function lastEvent(id: string): Promise<string | undefined> {
    const response = await fetch(`${hub.address}/v1/biam/subscribe?task_id=${id}`, {
      headers: { authorization: `Bearer ${plan.token}` },
      signal: AbortSignal.timeout(20_000),
    });
    const events = [...(await response.text()).matchAll(/^event: (\w+)$/gm)].map(([, kind]) => kind);
    return events.at(-1);
  }
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was faster.
  }
}

export function describeDispatch(engine: string, report: DispatchReport): string {
  const { runs, hubKills, agentKills, cancels, ms, violations } = report;
  const killed = `${hubKills} hubs, ${agentKills} agents killed, ${cancels} cancelled`;
  return `${engine}: ${runs} runs, ${killed}, ${violations.length} violations, ${(ms / 1000).toFixed(1)} s\n`;
}
