import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { longestPassing } from '../src/features/landing/rules.ts';
import { freshFolder, startHub } from './process.ts';
import { atMost, median, type Row } from './row.ts';

export const title = 'Landing: beyond its checks at 10,000 files, a moved branch among 40, runs of a queue';

const FILES = 10_000;
const LANDINGS = 9;
const BRANCHES = 40;
const MOVES = 6;
const TOKEN = 'b'.repeat(40);

export async function measure(): Promise<readonly Row[]> {
  const home = freshFolder();
  writeFileSync(join(home, 'config.yaml'), `land: { "*": { unconfined: true } }\n`);
  const hub = await startHub({ HOLDFAST_HOME: home, HOLDFAST_TOKEN: TOKEN });
  const ask: Ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${hub.address}${path}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Answer;
    if (!response.ok) throw new Error(`HTTP ${response.status}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const landing = await landings(ask);
  const moving = await moves(ask, hub.pid);
  await hub.stop();
  return [
    {
      what: `a landing beyond its check, ${FILES} files, median`,
      ours: `${landing.beyond.toFixed(0)} ms`,
      baseline: `${landing.plain.toFixed(0)} ms of git merge, 150 ms allowed`,
      ratio: landing.beyond / 150,
      hold: atMost(1),
    },
    {
      what: `CPU of a moved branch among ${BRANCHES} that change its file, git included`,
      ours: `${moving.cpu.toFixed(0)} ms`,
      baseline: `${moving.plain.toFixed(0)} ms of merge-tree alone, 300 ms allowed`,
      ratio: moving.cpu / 300,
      hold: atMost(1),
    },
    {
      what: `CPU of a second of watching ${BRANCHES} that do not move`,
      ours: `${moving.idle.toFixed(1)} ms`,
      baseline: '20 ms allowed',
      ratio: moving.idle / 20,
      hold: atMost(1),
    },
    await queueRow(8),
  ];
}

/** What is read of any of the answers. */
type Answer = Readonly<{
  id: string;
  project: Readonly<{ teamId: string }>;
  landings: readonly [Readonly<{ state: string; why: string | null }>];
  evidence: readonly Readonly<{ ms: number }>[];
}>;
type Ask = (method: string, path: string, body?: object) => Promise<Answer>;

function makeRepository(files: number) {
  const path = freshFolder();
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', path, ...args], { encoding: 'utf8', maxBuffer: 2 ** 26 }).trim();
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'bench');
  git('config', 'user.email', 'bench@example.invalid');
  mkdirSync(join(path, '.holdfast'));
  writeFileSync(join(path, '.holdfast', 'checks.yaml'), 'version: 1\nchecks:\n  unit: { run: "true" }\n');
  for (let at = 0; at < files; at += 1) {
    const folder = join(path, `folder-${Math.floor(at / 100)}`);
    if (at % 100 === 0) mkdirSync(folder);
    writeFileSync(join(folder, `file-${at}.txt`), `file ${at}\n`.repeat(20));
  }
  git('add', '-A');
  git('commit', '-q', '-m', 'begin');
  /** A commit on top of a branch, without any files: a checkout of all of them for each would take longer than what is measured. */
  const commit = (branch: string, from: string, [file, text]: readonly [string, string]): void => {
    const data = (said: string) => `data ${Buffer.byteLength(said)}\n${said}\n`;
    const head = git('rev-parse', from);
    const who = `bench <bench@example.invalid> ${Math.floor(Date.now() / 1_000)} +0000`;
    const input = `commit refs/heads/${branch}\ncommitter ${who}\n${data(`work on ${branch}`)}from ${head}\nM 100644 inline ${file}\n${data(text)}`;
    execFileSync('git', ['-C', path, 'fast-import', '--quiet', '--force'], { input });
  };
  return { path, git, commit };
}

/** From being asked for to being landed, less what the check itself took by its evidence. */
async function landings(ask: Ask) {
  const { path, git, commit } = makeRepository(FILES);
  const project = (await ask('POST', '/api/projects/resolve', { folder: path })).project.teamId;
  const beyond: number[] = [];
  const plain: number[] = [];
  for (let at = 0; at <= LANDINGS; at += 1) {
    commit(`work-${at}`, 'main', [`folder-3/file-${300 + at}.txt`, `changed ${at}\n`]);
    const task = await ask('POST', '/api/board/tasks', { title: `work ${at}`, teamId: project });
    await ask('PATCH', `/api/board/tasks/${task.id}`, { branchRef: `work-${at}` });
    const began = performance.now();
    const { id } = await ask('POST', '/api/landings', { taskId: task.id, folder: path });
    const [landed] = (await ask('GET', `/api/landings/wait?ids=${id}&timeout_s=60`)).landings;
    const took = performance.now() - began;
    if (landed.state !== 'landed') throw new Error(`${landed.state}: ${landed.why}`);
    const { evidence } = await ask('GET', `/api/evidence/${id}`);
    const checks = evidence.reduce((sum, each) => sum + each.ms, 0);
    // The first fills the kept tree.
    if (at > 0) beyond.push(took - checks);
  }
  for (let at = 0; at < LANDINGS; at += 1) {
    git('checkout', '-q', '-B', 'plain', `work-${at}~1`);
    const began = performance.now();
    git('merge', '-q', '--no-ff', '-m', 'plain', `work-${at}`);
    plain.push(performance.now() - began);
  }
  return { beyond: median(beyond), plain: median(plain) };
}

async function moves(ask: Ask, pid: number) {
  const { path, git, commit } = makeRepository(200);
  const project = (await ask('POST', '/api/projects/resolve', { folder: path })).project.teamId;
  const text = (at: number, turn: number) =>
    Array.from({ length: BRANCHES * 4 }, (_, line) =>
      line === at * 4 ? `branch ${at} ${turn}` : 'line',
    ).join('\n');
  writeFileSync(join(path, 'shared.txt'), text(-1, 0));
  git('add', '-A');
  git('commit', '-q', '-m', 'shared');
  const work = (at: number, turn: number) =>
    commit(`live-${at}`, `live-${at}`, ['shared.txt', text(at, turn)]);
  for (let at = 0; at < BRANCHES; at += 1) {
    git('branch', `live-${at}`);
    work(at, 0);
    const task = await ask('POST', '/api/board/tasks', { title: `live ${at}`, teamId: project });
    await ask('PATCH', `/api/board/tasks/${task.id}`, { branchRef: `live-${at}` });
  }
  const quiet = () => new Promise((resolve) => setTimeout(resolve, 4_000));
  await quiet();
  const cpu: number[] = [];
  const idle: number[] = [];
  for (let turn = 1; turn <= MOVES; turn += 1) {
    const before = cpuOf(pid);
    await quiet();
    const still = cpuOf(pid) - before;
    work(turn, turn);
    const start = cpuOf(pid);
    await quiet();
    cpu.push(cpuOf(pid) - start - still);
    idle.push(still / 4);
  }
  const heads = Array.from({ length: BRANCHES }, (_, at) => git('rev-parse', `live-${at}`));
  const began = childrenCpu();
  for (const head of heads.slice(1)) git('merge-tree', '--write-tree', heads[0]!, head);
  return { cpu: median(cpu), idle: median(idle), plain: childrenCpu() - began };
}

const TICK_MS = 10;

const ticksOf = (process: number | 'self', fields: readonly number[]): number => {
  const found = readFileSync(`/proc/${process}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return fields.reduce((sum, at) => sum + Number(found[at]), 0);
};

/** Of a process, of all its children that have ended and of those that have not, in milliseconds. */
function cpuOf(pid: number): number {
  const living = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return (
    ticksOf(pid, [11, 12, 13, 14]) * TICK_MS + living.reduce((sum, each) => sum + cpuOf(Number(each)), 0)
  );
}
const childrenCpu = (): number => ticksOf('self', [13, 14]) * TICK_MS;

/** 100 candidates, 5 of them bad, in batches: how often the checks run. */
async function queueRow(batch: number): Promise<Row> {
  const bad = new Set([7, 8, 41, 64, 99]);
  let waiting = Array.from({ length: 100 }, (_, at) => at);
  let runs = 0;
  while (waiting.length > 0) {
    const taken = waiting.slice(0, batch);
    const good = await longestPassing(taken.length, async (length) => {
      runs += 1;
      return taken.slice(0, length).every((each) => !bad.has(each));
    });
    waiting = waiting.slice(Math.min(good + 1, taken.length));
  }
  const bound = Math.ceil(100 / batch) + bad.size * 2 * Math.ceil(Math.log2(batch));
  return {
    what: `runs of the checks for 100 candidates with 5 bad ones, in batches of ${batch}`,
    ours: `${runs}`,
    baseline: `${bound} allowed`,
    ratio: runs / bound,
    hold: atMost(1),
  };
}
