import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '../../src/kernel/clock.ts';
import { openDatabase } from '../../src/store/open.ts';
import { freePort } from '../fixtures/free-port.ts';
import { createTasks, end, readJournal, ready, remaining, scriptOf } from './torture.ts';
import { findViolations } from './verify.ts';

/**
 * Hubs on one PostgreSQL, frozen in the middle of their work as a laptop is that goes to sleep, and now and
 * then killed. Asked all the while: do the others go on, and afterwards: was anything lost or done twice?
 */
export type FreezeOptions = Readonly<{
  database: Readonly<{ url: string; schema: string }>;
  tasks: number;
  freezes: number;
  maxMs: number;
  holdfast: string;
}>;

export type FreezeReport = Readonly<{
  freezes: number;
  kills: number;
  operations: number;
  /** Of the hubs that were not frozen, while another one was. */
  slowestWriteMs: number;
  slowestReadMs: number;
  seconds: number;
  violations: readonly string[];
}>;

const HUBS = 3;
const WORKERS = 2;
/** What is promised, beside what a machine takes anyway that runs all this on two cores. */
const LONGEST = { write: 4_000, read: 1_000 };
const CALM_MS = 2_500;
export function describeFrozen(report: FreezeReport): string {
  const { freezes, kills, operations, slowestWriteMs, slowestReadMs, violations, seconds } = report;
  const parts = [
    `${freezes} freezes, ${kills} kills, ${operations} acknowledged operations`,
    `others wrote within ${Math.round(slowestWriteMs)} ms and read within ${Math.round(slowestReadMs)} ms`,
    `${violations.length} violations, ${seconds.toFixed(0)} s`,
  ];
  return `PostgreSQL: ${parts.join(', ')}\n`;
}

type Hub = { readonly address: string; child: ChildProcess; isFrozen: boolean; since: number };

export async function tortureFrozen(options: FreezeOptions): Promise<FreezeReport> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-freeze-'));
  const began = performance.now();
  const hubs: Hub[] = [];
  const workers: ChildProcess[] = [];
  let slowest = { write: 0, read: 0 };
  let allowed = { write: Infinity, read: Infinity };
  const complaints: string[] = [];
  const journals: string[] = [];
  let [freezes, kills, isOver] = [0, 0, false];
  let created: string[] = [];
  let isFinished = false;
  try {
    for (let i = 0; i < HUBS; i += 1) hubs.push(await openHub(i));
    created = await createTasks(hubs[0]!.address, options.tasks);
    for (const [i, hub] of hubs.entries())
      for (let w = 0; w < WORKERS; w += 1) startWorker(`worker-${i}-${w}`, hub);
    const watching = hubs.map(watch);
    await pause(CALM_MS);
    allowed = { write: LONGEST.write + slowest.write, read: LONGEST.read + slowest.read };
    slowest = { write: 0, read: 0 };
    while (freezes < options.freezes) await freezeOne();
    isFinished = await allDone();
    isOver = true;
    await Promise.all(watching);
  } finally {
    isOver = true;
    for (const { child } of hubs) child.kill('SIGCONT');
    await Promise.all(workers.map((worker) => end(worker)));
    await Promise.all(hubs.map(({ child }) => end(child, 'SIGTERM')));
  }
  const told = journals.map((path) => (existsSync(path) ? readJournal(path) : []));
  const entries = told.flat();
  const db = await openDatabase(options.database.url, { schema: options.database.schema });
  const { violations } = await findViolations(db, { created, entries, journals: told });
  await db.close();
  rmSync(folder, { recursive: true, force: true });
  return {
    freezes,
    kills,
    operations: created.length + entries.length,
    slowestWriteMs: slowest.write,
    slowestReadMs: slowest.read,
    seconds: (performance.now() - began) / 1000,
    violations: [...(isFinished ? [] : ['the work was not finished in time']), ...complaints, ...violations],
  };

  async function openHub(number: number): Promise<Hub> {
    const home = join(folder, `hub-${number}`);
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, 'config.yaml'), 'limits: { posts: 0 }\n');
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    const child = launch(home, port);
    await ready(address);
    return { address, child, isFrozen: false, since: 0 };
  }

  function launch(home: string, port: number): ChildProcess {
    const env = {
      PATH: process.env['PATH'],
      HOLDFAST_HOME: home,
      HOLDFAST_LOG: 'silent',
      HOLDFAST_LEASE: '3s',
      HOLDFAST_DATABASE_URL: options.database.url,
      HOLDFAST_DATABASE_SCHEMA: options.database.schema,
    };
    return spawn(process.execPath, [options.holdfast, 'up', '--port', String(port)], {
      env,
      stdio: 'ignore',
    });
  }

  function startWorker(name: string, { address }: Hub): void {
    const journal = join(folder, `${name}.jsonl`);
    journals.push(journal);
    const setup = JSON.stringify({ name, journal, address });
    workers.push(spawn(process.execPath, ['--no-warnings', scriptOf('worker'), setup], { stdio: 'ignore' }));
  }

  /** Long enough that the server ends what the hub had begun; every other one is killed as it wakes up. */
  async function freezeOne(): Promise<void> {
    await pause(200 + Math.random() * 400);
    const number = Math.floor(Math.random() * hubs.length);
    const hub = hubs[number]!;
    freezes += 1;
    hub.isFrozen = true;
    hub.since = performance.now();
    hub.child.kill('SIGSTOP');
    await pause(3_500 + Math.random() * 1_500);
    hub.child.kill('SIGCONT');
    if (freezes % 2 === 0) {
      kills += 1;
      await end(hub.child);
      hub.child = launch(join(folder, `hub-${number}`), Number(new URL(hub.address).port));
    }
    await ready(hub.address);
    hub.isFrozen = false;
  }

  /**
   * A write to a row that every hub writes to, and reads. What a hub answers that was frozen meanwhile does
   * not count.
   */
  async function watch(hub: Hub): Promise<void> {
    while (!isOver) {
      await pause(100);
      if (hub.isFrozen) continue;
      const text = { text: 'still here' };
      const body = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(text),
      };
      const write = ask(hub, '/api/chat/rooms/team:watch/posts', body);
      await Promise.all([
        write.then((ms) => judge('write', ms)),
        ask(hub, '/api/health').then((ms) => judge('read', ms)),
        ask(hub, '/api/board/tasks?limit=20').then((ms) => judge('read', ms)),
      ]);
    }
  }

  function judge(what: 'write' | 'read', ms: number | undefined): void {
    if (ms === undefined) return;
    slowest[what] = Math.max(slowest[what], ms);
    if (ms > allowed[what])
      complaints.push(`a ${what} took ${Math.round(ms)} ms while another hub was frozen`);
  }

  /** How long it took; undefined where the hub was frozen itself, or the work is over. */
  async function ask(hub: Hub, path: string, init: RequestInit = {}): Promise<number | undefined> {
    const started = performance.now();
    const status = await fetch(hub.address + path, { ...init, signal: AbortSignal.timeout(40_000) }).then(
      async (response) => (await response.text(), response.status),
      () => 0,
    );
    if (isOver || hub.isFrozen || hub.since >= started) return undefined;
    if (status >= 300 || status === 0) complaints.push(`${path} answered ${status} beside a frozen hub`);
    return performance.now() - started;
  }

  async function allDone(): Promise<boolean> {
    const deadline = began + options.maxMs;
    while (performance.now() < deadline) {
      await pause(200);
      if ((await remaining(hubs[0]!.address).catch(() => undefined)) === 0) return true;
    }
    return false;
  }
}
