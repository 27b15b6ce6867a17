import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { pause } from '../../src/kernel/clock.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open.ts';
import { sql } from '../../src/store/sql.ts';
import { AGENT } from '../fixtures/dispatch-hub.ts';
import { freePort } from '../fixtures/free-port.ts';
import { markedProcesses } from '../fixtures/marked-processes.ts';
import { git, newRepositoryWithCommit } from '../fixtures/repositories.ts';
import { type Machine, openMachines } from './machines.ts';
import { end, ready } from './torture.ts';
import { callRest } from '../fixtures/rest-call.ts';

/**
 * Hubs on one PostgreSQL and runners, each on a machine of its own that can be cut off; hubs and runners are killed and begin again,
 * machines are cut off, now and then for longer than a lease, and come back. Asked afterwards: did every run end once, did ever two attempts act, is any frame lost or there
 * twice, is any process left?
 */
export type PoolOptions = Readonly<{
  database: Readonly<{ url: string; schema: string }>;
  hubs: number;
  runners: number;
  runs: number;
  kills: number;
  maxMs: number;
  holdfast: string;
}>;

export type PoolReport = Readonly<{
  runs: number;
  attempts: number;
  kills: number;
  cuts: number;
  /** Of these so many were longer than a lease. */
  long: number;
  machines: string;
  done: number;
  seconds: number;
  violations: readonly string[];
  /** Those that ended otherwise, with what was said about it. */
  notDone: readonly string[];
}>;

export function describePool(report: PoolReport): string {
  const { runs, attempts, kills, cuts, long, machines, done, seconds, violations } = report;
  const parts = [
    `${runs} runs, ${done} of them done, in ${attempts} attempts`,
    `${kills} kills, ${cuts} cuts of ${machines}, ${long} of them longer than a lease`,
    `${violations.length} violations, ${seconds.toFixed(0)} s`,
  ];
  return `pool: ${parts.join('; ')}\n`;
}

const TOKEN = 't'.repeat(40);
const LINES = 12;
/** So many cuts, and one of them is longer than a lease. */
const LONG_EVERY = 12;
const LONG_MS = 55_000;
export const RUN_PROMPT = [
  'env HOLDFAST_ATTEMPT',
  ...Array.from({ length: LINES }, (_, i) => `say l${i}\nsleep 40`),
].join('\n');
/** The same with work that travels by git: whoever goes on begins with what was committed before. */
const COMMITS = 4;
const WORK_PROMPT = RUN_PROMPT.replaceAll(/say l(\d+)/g, (say, i: string) =>
  Number(i) % (LINES / COMMITS) === 0 ? `commit c${Number(i) / (LINES / COMMITS)}\n${say}` : say,
);
/** So many runs, and one of them works in a repository. */
const WORK_EVERY = 3;

type Hub = { readonly port: number; readonly home: string; child: ChildProcess };
type Runner = {
  readonly name: string;
  readonly home: string;
  readonly machine: Machine;
  child: ChildProcess;
};

export async function torturePool(options: PoolOptions): Promise<PoolReport> {
  const { database, holdfast } = options;
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-pool-'));
  const began = performance.now();
  const hubs: Hub[] = [];
  const runners: Runner[] = [];
  const network = openMachines();
  const machines: Machine[] = [];
  const gone: Promise<void>[] = [];
  let [kills, cuts, long, isOver] = [0, 0, 0, false];
  const agents = {
    script: {
      family: 'command',
      command: [process.execPath, AGENT, '{prompt}'],
      retry: 20,
      limits: { concurrent: 50 },
    },
  };

  const homeFor = (name: string, settings: object) => {
    const home = join(folder, name);
    mkdirSync(home);
    writeFileSync(join(home, 'config.yaml'), stringify(settings));
    return home;
  };
  const envOf = (home: string) => ({
    PATH: process.env['PATH'],
    HOME: folder,
    HOLDFAST_HOME: home,
    HOLDFAST_LOG: 'error',
    HOLDFAST_TOKEN: TOKEN,
    HOLDFAST_DATABASE_URL: database.url,
    HOLDFAST_DATABASE_SCHEMA: database.schema,
  });
  const startHub = ({ port, home }: Pick<Hub, 'port' | 'home'>) =>
    spawn(
      process.execPath,
      [
        holdfast,
        'up',
        '--no-runner',
        '--port',
        `${port}`,
        '--allow-host',
        ...machines.map(({ url }) => new URL(url).host),
      ],
      { env: envOf(home), stdio: ['ignore', 'ignore', 'inherit'] },
    );
  const startRunner = ({ name, home, machine }: Omit<Runner, 'child'>) => {
    const token = join(home, 'token');
    const args = ['runner', '--hub', machine.url, '--token-file', token, '--name', name, '--slots', '3'];
    const [program, line] = machine.command(process.execPath, [holdfast, ...args]);
    return spawn(program, line, {
      env: { ...envOf(home), HOLDFAST_TOKEN: undefined, HOLDFAST_DATABASE_URL: undefined },
      stdio: ['ignore', 'ignore', 'ignore'],
    });
  };
  async function cutOff(machine: Machine, ms: number): Promise<void> {
    machine.cut();
    await pause(ms);
    machine.heal();
  }
  const ask = async (hub: Hub, path: string, body?: object) => {
    const place = { at: `http://127.0.0.1:${hub.port}`, token: TOKEN, patienceMs: 5_000 };
    const answer = await callRest(place, [body ? 'POST' : 'GET', path], body);
    return answer.body as { task_id?: string };
  };

  async function trouble(): Promise<void> {
    while (kills < options.kills && !isOver) {
      const dice = Math.random();
      if (dice < 0.2) {
        const hub = hubs[Math.floor(Math.random() * hubs.length)]!;
        await end(hub.child);
        hub.child = startHub(hub);
        kills += 1;
        await ready(`http://127.0.0.1:${hub.port}`).catch(() => undefined);
      } else if (dice < 0.6) {
        const runner = runners[Math.floor(Math.random() * runners.length)]!;
        await end(runner.child, dice < 0.5 ? 'SIGKILL' : 'SIGTERM');
        runner.child = startRunner(runner);
        kills += 1;
      } else {
        cuts += 1;
        const { machine } = runners[Math.floor(Math.random() * runners.length)]!;
        // One may be away for longer than anybody believes in it; the trouble goes on meanwhile.
        if (cuts % LONG_EVERY === 0) gone.push(cutOff(machine, LONG_MS + (long += 1)));
        else await cutOff(machine, 200 + Math.random() * 1_500);
      }
      await pause(100 + Math.random() * 300);
    }
  }

  try {
    const ports = await Promise.all(Array.from({ length: options.hubs }, () => freePort()));
    for (let i = 0; i < options.runners; i += 1) machines.push(await network.add(ports[i % ports.length]!));
    for (const [i, port] of ports.entries()) {
      const at = { port, home: homeFor(`hub${i}`, { agents }) };
      hubs.push({ ...at, child: startHub(at) });
      await ready(`http://127.0.0.1:${at.port}`);
    }
    for (const [i, machine] of machines.entries()) {
      const name = `r${i}`;
      const at = { name, home: homeFor(name, { agents }), machine };
      const made = execFileSync(process.execPath, [holdfast, 'token', 'create', '--runner', name], {
        env: envOf(hubs[0]!.home),
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      writeFileSync(join(at.home, 'token'), made);
      runners.push({ ...at, child: startRunner(at) });
    }
    const repositories = ['one', 'two'].map((name) => newRepositoryWithCommit(join(folder, name)));
    const sent: string[] = [];
    const troubled = trouble();
    while (sent.length < options.runs) {
      // So that there is work for as long as there is trouble.
      if (sent.length / options.runs > kills / options.kills + 0.1) {
        await pause(50);
        continue;
      }
      const key = `pool-${sent.length}`;
      const cwd =
        sent.length % WORK_EVERY === 0 ? repositories[sent.length % repositories.length] : undefined;
      const work = cwd === undefined ? { prompt: RUN_PROMPT } : { prompt: WORK_PROMPT, opts: { cwd } };
      const body = { instance: 'script', async: true, idempotencyKey: key, ...work };
      const answer = await ask(hubs[sent.length % hubs.length]!, '/v1/send_message', body).catch(() => ({
        task_id: undefined,
      }));
      if (answer.task_id === undefined) await pause(100);
      else sent.push(answer.task_id);
    }
    const db = await openDatabase(database.url, { schema: database.schema });
    try {
      const openRuns = async () =>
        (await db.read((q) =>
          q.get<{ n: number }>(sql`select count(*) as n from runs where state in ('pending', 'active')`),
        ))!.n;
      while ((await openRuns()) > 0 && performance.now() - began < options.maxMs) await pause(500);
      isOver = true;
      await troubled;
      await Promise.all(gone);
      for (let i = 0; i < 60 && processesLeft(sent).length > 0; i += 1) await pause(1_000);
      const violations = [...(await lookAtRuns(db, sent)), ...(await lookAtWork(db)), ...processesLeft(sent)];
      const states = await db.read((q) =>
        q.all<{ state: string; n: number }>(sql`select state, count(*) as n from runs group by state`),
      );
      const others = await db.read((q) =>
        q.all<{ id: string; state: string; error: string | null; attempt: number }>(
          sql`select id, state, error, attempt from runs where state <> 'done'`,
        ),
      );
      const attempts = (await db.read((q) =>
        q.get<{ n: number }>(sql`select count(*) as n from run_attempts`),
      ))!.n;
      const done = states.find(({ state }) => state === 'done')?.n ?? 0;
      return {
        runs: sent.length,
        attempts,
        kills,
        cuts,
        long,
        machines: network.kind,
        done,
        seconds: (performance.now() - began) / 1_000,
        violations,
        notDone: others.map(
          ({ id, state, error, attempt }) =>
            `${id}: ${state} in attempt ${attempt}: ${JSON.stringify(error)}`,
        ),
      };
    } finally {
      await db.close();
    }
  } finally {
    isOver = true;
    for (const { child } of runners) await end(child);
    for (const { child } of hubs) await end(child);
    network.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Every run ended once; its attempts follow each other; each said the beginning of what it says, the last one all of it. */
export async function lookAtRuns(db: Database, runs: readonly string[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const id of runs) {
    const [run, attempts, events] = await db.read(async (q) => [
      await q.get<{ state: string }>(sql`select state from runs where id = ${id}`),
      await q.all<{ n: number; fence: number; started_at: number; ended_at: number | null }>(
        sql`select n, fence, started_at, ended_at from run_attempts where run_id = ${id} order by n`,
      ),
      await q.all<{ kind: string; data: string }>(
        sql`select kind, data from run_events where run_id = ${id} order by id`,
      ),
    ]);
    const ends = events.filter(({ kind }) => kind === 'terminal').length;
    if (ends !== 1) wrong.push(`${id}: ${ends} ends, ${run?.state}`);
    for (const [i, { n, fence, started_at: from, ended_at: to }] of attempts.entries()) {
      if (to === null) wrong.push(`${id}: attempt ${n} is open`);
      if (i > 0 && from < (attempts[i - 1]!.ended_at ?? Infinity))
        wrong.push(`${id}: attempt ${n} began before the one before it ended`);
      if (i > 0 && fence <= attempts[i - 1]!.fence) wrong.push(`${id}: attempt ${n} has an old fence`);
    }
    wrong.push(...outOfTurn(id, events));
    const said = new Map<number, string[]>();
    let at = 0;
    for (const { kind, data } of events) {
      const { line } = JSON.parse(data) as { line?: string };
      if (kind !== 'frame' || line === undefined || !/^(HOLDFAST_ATTEMPT|l\d)/.test(line)) continue;
      const [, n] = /^HOLDFAST_ATTEMPT=\S+\/(\d+)$/.exec(line) ?? [];
      if (n === undefined) said.get(at)?.push(line);
      else if (Number(n) <= at) wrong.push(`${id}: attempt ${n} spoke after ${at}`);
      else said.set((at = Number(n)), []);
    }
    const all = Array.from({ length: LINES }, (_, i) => `l${i}`);
    for (const [n, lines] of said)
      if (lines.some((line, i) => line !== all[i])) wrong.push(`${id}: attempt ${n} said ${lines.join(' ')}`);
    if (run?.state === 'done' && said.get(attempts.at(-1)!.n)?.length !== LINES)
      wrong.push(`${id}: its last attempt lost a frame`);
  }
  return wrong;
}

/** Of every run that is done and had a repository all commits are on its branch, each once and in their order. */
async function lookAtWork(db: Database): Promise<string[]> {
  const runs = await db.read((q) =>
    q.all<{ id: string; worktree: string }>(
      sql`select id, worktree from runs where state = 'done' and worktree is not null`,
    ),
  );
  const all = Array.from({ length: COMMITS }, (_, i) => `c${i}`);
  return runs.flatMap(({ id, worktree }) => {
    const { repository, branch } = JSON.parse(worktree) as { repository: string; branch: string };
    if (git(repository, 'for-each-ref', `refs/heads/${branch}`) === '')
      return [`${id}: it is done, and its branch is not there`];
    const files = git(repository, 'ls-tree', '--name-only', branch).split('\n');
    // What was not committed yet when its attempt was handed over was committed for it.
    const told = git(repository, 'log', '--reverse', '--format=%s', branch).split('\n');
    const commits = told.filter((subject) => /^c\d+$/.test(subject));
    return [
      ...(all.every((name) => files.includes(name)) ? [] : [`${id}: its branch has ${files.join(' ')}`]),
      ...(commits.join() === [...new Set(commits)].toSorted().join()
        ? []
        : [`${id}: it was committed ${commits.join(' ')}`]),
    ];
  });
}

type LoggedEvent = Readonly<{ kind: string; data: string }>;

/** In the log of a run only the attempt that it says has it is ever heard, and nobody while nobody has it. */
function outOfTurn(id: string, events: readonly LoggedEvent[]): string[] {
  let holder = 0;
  return events.flatMap(({ kind, data }) => {
    const told = JSON.parse(data) as { line?: string; status?: string; attempt?: number };
    if (kind !== 'frame') {
      const before = holder;
      holder = told.status === 'active' ? (told.attempt ?? 0) : 0;
      return holder !== 0 && holder < before ? [`${id}: attempt ${holder} came after ${before}`] : [];
    }
    const [, n] = /^HOLDFAST_ATTEMPT=\S+\/(\d+)$/.exec(told.line ?? '') ?? [];
    if (holder === 0) return [`${id}: a frame while nobody had it`];
    return n !== undefined && Number(n) !== holder
      ? [`${id}: attempt ${n} spoke while ${holder} had it`]
      : [];
  });
}

export function processesLeft(runs: readonly string[]): string[] {
  const own = new Set(runs);
  return markedProcesses().flatMap(({ pid, run }) =>
    own.has(run) ? [`${run}: process ${pid} is left`] : [],
  );
}
