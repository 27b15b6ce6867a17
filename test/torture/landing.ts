// Agents that land branches with real conflicts while hubs are killed and the target is moved by hand: afterwards every tip that
// the hub made passes its checks, no commit is lost, nothing landed twice, and no task is done that is not in the target.
import { execFile, execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { callRest } from '../fixtures/rest-call.ts';

export type LandingPlan = Readonly<{
  landings: number;
  agents: number;
  hubKills: number;
  handMoves: number;
  maxMs: number;
  token: string;
  startHub(): Promise<Readonly<{ address: string; kill(): Promise<void> }>>;
}>;

export type LandingReport = Readonly<{
  violations: readonly string[];
  states: Readonly<Record<string, number>>;
  tips: number;
  hubKills: number;
  handMoves: number;
  ms: number;
}>;

const CHECK = '! ls | grep -q ^bad';
const OVER: ReadonlySet<string> = new Set(['landed', 'conflict', 'failed', 'withdrawn']);
const FILES = 12;
const LINES = 30;
type Landing = { id: string; task: string; branch: string; head: string; state: string; commit: string };

export async function tortureLanding(plan: LandingPlan): Promise<LandingReport> {
  const began = Date.now();
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-torture-landing-'));
  const repository = join(folder, 'repository');
  makeRepository(repository);
  const git = async (cwd: string, ...args: string[]) =>
    (await promisify(execFile)('git', ['-C', cwd, ...args], { maxBuffer: 2 ** 26 })).stdout.trim();
  const counts = { asked: 0, hubKills: 0, handMoves: 0 };
  let hub = await plan.startHub();
  const isLate = () => Date.now() - began > plan.maxMs;

  /** Until a hub answers; what it refuses is an answer as well. */
  async function ask(method: string, path: string, body?: object): Promise<any> {
    for (;;) {
      try {
        const place = { at: hub.address, token: plan.token, patienceMs: 20_000 };
        const answer = await callRest(place, [method, path], body);
        if (answer.status < 500) return answer.body;
      } catch {
        // Killed just now.
      }
      if (isLate()) return {};
      await sleep(100);
    }
  }

  const project = (await ask('POST', '/api/projects/resolve', { folder: repository })).project.teamId;

  const placeOf = (agent: number) => join(folder, `agent-${agent}`);
  // One after the other: of two that git adds at once, one may read what the other has not written yet.
  for (let agent = 0; agent < plan.agents; agent += 1)
    await git(repository, 'worktree', 'add', '-q', '--detach', placeOf(agent), 'main');

  async function workAs(agent: number): Promise<void> {
    const place = placeOf(agent);
    for (let turn = 0; counts.asked < plan.landings && !isLate(); turn += 1) {
      const branch = `work/${agent}-${turn}`;
      await git(place, 'checkout', '-q', '-f', '-b', branch, 'main');
      edit(place, `${agent}-${turn}`);
      await git(place, 'add', '-A');
      await git(place, 'commit', '-q', '-m', `work ${branch}`);
      const task = await ask('POST', '/api/board/tasks', { title: branch, teamId: project });
      if (task.id === undefined) continue;
      await ask('PATCH', `/api/board/tasks/${task.id}`, { branchRef: branch });
      await landAndSolve({ place, taskId: task.id });
    }
  }

  async function landAndSolve({ place, taskId }: { place: string; taskId: string }): Promise<void> {
    for (let tries = 0; tries < 3 && counts.asked < plan.landings; tries += 1) {
      counts.asked += 1;
      const landing: Landing = await ask('POST', '/api/landings', { taskId, folder: repository });
      const state = await endOf(landing.id);
      if (state !== 'conflict') return;
      await git(place, 'merge', '-q', '-X', 'ours', '-m', 'solved', 'main').catch(() =>
        git(place, 'merge', '--abort').catch(() => ''),
      );
    }
  }

  async function endOf(id: string): Promise<string | undefined> {
    while (id !== undefined && !isLate()) {
      const { landings = [] } = await ask('GET', `/api/landings/wait?ids=${id}&timeout_s=5`);
      const state = landings[0]?.state;
      if (OVER.has(state) || state === 'waiting_person') return state;
      await sleep(200);
    }
    return undefined;
  }

  /** As a push into it would: a commit of somebody else on top, by compare-and-swap. */
  async function moveByHand(): Promise<void> {
    const tip = await git(repository, 'rev-parse', 'main');
    const commit = await git(
      repository,
      'commit-tree',
      `${tip}^{tree}`,
      '-p',
      tip,
      '-m',
      `by hand ${counts.handMoves}`,
    );
    const isMoved = await git(repository, 'update-ref', '-m', 'by hand', 'refs/heads/main', commit, tip).then(
      () => true,
      () => false,
    );
    if (isMoved) counts.handMoves += 1;
  }

  let isOver = false;
  /** Spread over the work: as much of it is done as of the landings. */
  const spread = async (most: number, done: () => number, act: () => Promise<void>) => {
    while (!isOver && !isLate()) {
      if (done() < (most * counts.asked) / plan.landings) await act();
      await sleep(50 + Math.random() * 400);
    }
  };
  const troubling = [
    spread(
      plan.hubKills,
      () => counts.hubKills,
      async () => {
        counts.hubKills += 1;
        await hub.kill();
        hub = await plan.startHub();
      },
    ),
    spread(plan.handMoves, () => counts.handMoves, moveByHand),
  ];
  await Promise.all(Array.from({ length: plan.agents }, (_, agent) => workAs(agent)));
  isOver = true;
  await Promise.all(troubling);

  const { landings } = await ask('GET', '/api/landings');
  const violations = isLate() ? ['it was not over in time'] : [];
  violations.push(...(await judge({ repository, git, ask, landings, project })));
  const tips = await checkTips(repository, folder, violations);
  await hub.kill();
  rmSync(folder, { recursive: true, force: true });
  const states: Record<string, number> = {};
  for (const { state } of landings as Landing[]) states[state] = (states[state] ?? 0) + 1;
  const { hubKills, handMoves } = counts;
  return { violations, states, tips, hubKills, handMoves, ms: Date.now() - began };
}

type Judged = Readonly<{
  repository: string;
  git(cwd: string, ...args: string[]): Promise<string>;
  ask(method: string, path: string): Promise<any>;
  landings: readonly Landing[];
  project: string;
}>;

async function judge({ repository, git, ask, landings, project }: Judged): Promise<string[]> {
  const violations: string[] = [];
  const within = new Set((await git(repository, 'rev-list', 'main')).split('\n'));
  const said = await git(repository, 'log', '--format=%(trailers:key=Holdfast-Evidence,valueonly)', 'main');
  const times = Map.groupBy(said.split('\n').filter(Boolean), (id) => id);
  for (const { id, state, commit, head, task } of landings) {
    if (!OVER.has(state)) violations.push(`landing ${id} is still ${state}`);
    if (state === 'landed' && !(within.has(commit) && within.has(head)))
      violations.push(`landing ${id} of ${task} is landed and not in the target`);
    if ((times.get(id)?.length ?? 0) > 1) violations.push(`landing ${id} landed twice`);
    if (state !== 'landed' && times.has(id)) violations.push(`landing ${id} is ${state} and in the target`);
  }
  const landed = new Set(landings.filter(({ state }) => state === 'landed').map(({ task }) => task));
  const { tasks } = await ask('GET', `/api/board/tasks?teamId=${project}&limit=500`);
  for (const { id, status } of tasks)
    if ((status === 'done') !== landed.has(id))
      violations.push(`task ${id} is ${status}, and ${landed.has(id) ? '' : 'not '}landed`);
  // Whatever the target ever was is still in it.
  const log = readFileSync(join(repository, '.git', 'logs', 'refs', 'heads', 'main'), 'utf8');
  for (const line of log.trim().split('\n')) {
    const commit = line.slice(41, 81);
    if (!within.has(commit)) violations.push(`the target was at ${commit}, which is lost`);
  }
  return violations;
}

/** From the outside, with a git and a shell of our own. */
async function checkTips(repository: string, folder: string, violations: string[]): Promise<number> {
  const log = readFileSync(join(repository, '.git', 'logs', 'refs', 'heads', 'main'), 'utf8');
  const tips = log
    .trim()
    .split('\n')
    .map((line) => line.slice(41, 81));
  const place = join(folder, 'outside');
  execFileSync('git', ['-C', repository, 'worktree', 'add', '-q', '--detach', place, 'main']);
  for (const tip of tips) {
    execFileSync('git', ['-C', place, 'checkout', '-q', '-f', tip]);
    try {
      execFileSync('bash', ['-c', CHECK], { cwd: place });
    } catch {
      violations.push(`the tip ${tip} does not pass`);
    }
  }
  return tips.length;
}

function makeRepository(path: string): void {
  const git = (...args: string[]) => execFileSync('git', ['-C', path, ...args]);
  mkdirSync(join(path, '.holdfast'), { recursive: true });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'torture');
  git('config', 'user.email', 'torture@example.invalid');
  writeFileSync(join(path, '.holdfast', 'checks.yaml'), `version: 1\nchecks:\n  unit: { run: "${CHECK}" }\n`);
  const text = Array.from({ length: LINES }, (_, line) => `line ${line}\n`).join('');
  for (let file = 0; file < FILES; file += 1) writeFileSync(join(path, `${file}.txt`), text);
  git('add', '-A');
  git('commit', '-q', '-m', 'begin');
  git('checkout', '-q', '--detach');
}

/** A line that others change as well, something of its own, and now and then something bad. */
function edit(place: string, name: string): void {
  const file = join(place, `${Math.floor(Math.random() * FILES)}.txt`);
  const lines = readFileSync(file, 'utf8').split('\n');
  lines[Math.floor(Math.random() * LINES)] = `changed by ${name}`;
  writeFileSync(file, lines.join('\n'));
  appendFileSync(join(place, `own-${name}`), name);
  if (Math.random() < 0.1) writeFileSync(join(place, `bad-${name}`), '');
}

export function describeLanding(what: string, report: LandingReport): string {
  const { states, tips, hubKills, handMoves, ms, violations } = report;
  const told = Object.entries(states).map(([state, count]) => `${count} ${state}`);
  return `${what}: ${told.join(', ')}; ${tips} tips checked from outside; hub killed ${hubKills} times, target moved by hand ${handMoves} times; ${(ms / 1_000).toFixed(0)} s, ${violations.length} violations\n`;
}
