import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pause } from '../../src/kernel/clock.ts';
import { openDatabase } from '../../src/store/open.ts';
import { freePort } from '../fixtures/free-port.ts';
import { findViolations } from './verify.ts';
import type { Entry } from './worker.ts';

export type TortureOptions = Readonly<{
  /** A SQLite file (made fresh) or a PostgreSQL URL with a fresh schema. */
  database: Readonly<{ url: string; schema: string }> | 'sqlite';
  tasks: number;
  workers: number;
  /** They know only the documented arguments and share one name; and they meddle with what others hold. */
  areNameless?: boolean;
  /** Average time between two kills. */
  killEveryMs: number;
  bins: Readonly<{ holdfast: string; tasks: string }>;
  maxMs: number;
}>;

export type TortureReport = Readonly<{
  operations: number;
  workerKills: number;
  hubKills: number;
  takeovers: number;
  seconds: number;
  violations: readonly string[];
}>;

/** One line a person can judge by. */
export function describeReport(engine: string, report: TortureReport): string {
  const { operations, workerKills, hubKills, takeovers, violations, seconds } = report;
  const kills = `${workerKills} workers and ${hubKills} hubs killed, ${takeovers} claims taken over`;
  return `${engine}: ${operations} acknowledged operations, ${kills}, ${violations.length} violations, ${seconds.toFixed(0)} s\n`;
}

export const scriptOf = (name: string) => fileURLToPath(new URL(`${name}.ts`, import.meta.url));

/** Kills workers and the hub at random while they work, then asks the database whether anything was lost or done twice. */
export async function torture(options: TortureOptions): Promise<TortureReport> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-torture-'));
  const location = options.database === 'sqlite' ? join(folder, 'holdfast.db') : options.database.url;
  const schema = options.database === 'sqlite' ? undefined : options.database.schema;
  const env = {
    PATH: process.env['PATH'],
    HOLDFAST_HOME: folder,
    HOLDFAST_LOG: 'silent',
    HOLDFAST_LEASE: '3s',
    ...(schema
      ? { HOLDFAST_DATABASE_URL: location, HOLDFAST_DATABASE_SCHEMA: schema }
      : { CLAWBOO_DB_PATH: location }),
  };
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const started = performance.now();
  const journals = Array.from({ length: options.workers }, (_, i) => join(folder, `worker-${i}.jsonl`));
  let over = false;
  let [workerKills, hubKills] = [0, 0];

  let hub = startHub();
  let workers: { child: ChildProcess }[] = [];
  let created: string[];
  let finished: boolean;
  try {
    await ready(address);
    created = await createTasks(address, options.tasks);
    workers = journals.map((journal, i) => startWorker(i, journal));
    const killing = killAtRandom();
    finished = await allDone();
    over = true;
    await killing;
  } finally {
    over = true;
    await Promise.all(workers.map((worker) => end(worker.child)));
    await end(hub, 'SIGTERM');
  }

  const entries = journals.flatMap((path) => (existsSync(path) ? readJournal(path) : []));
  const db = await openDatabase(location, schema ? { schema } : {});
  const { violations, takeovers } = await findViolations(db, {
    created,
    entries,
    journals: journals.map((path) => (existsSync(path) ? readJournal(path) : [])),
  });
  await db.close();
  rmSync(folder, { recursive: true, force: true });
  return {
    operations: created.length + entries.length,
    workerKills,
    hubKills,
    takeovers,
    seconds: (performance.now() - started) / 1000,
    violations: finished ? violations : ['the work was not finished in time', ...violations],
  };

  function startHub(): ChildProcess {
    return spawn(process.execPath, [options.bins.holdfast, 'up', '--port', String(port)], {
      env,
      stdio: 'ignore',
    });
  }

  /** A killed worker is followed by another one in the same slot. */
  function startWorker(i: number, journal: string): { child: ChildProcess } {
    const script = scriptOf(options.areNameless ? 'nameless' : 'worker');
    const how = i % 2 === 0 ? { address } : { bin: options.bins.tasks };
    const setup = JSON.stringify({ name: `worker-${i}`, journal, ...how });
    const launch = (): ChildProcess => {
      const child = spawn(process.execPath, ['--no-warnings', script, setup], { env, stdio: 'ignore' });
      child.once('exit', () => {
        if (!over) slot.child = launch();
      });
      return child;
    };
    const slot = { child: launch() };
    return slot;
  }

  async function killAtRandom(): Promise<void> {
    for (let round = 1; !over; round += 1) {
      await pause(options.killEveryMs * (0.5 + Math.random()));
      if (over) return;
      if (round % 5 === 0) {
        hubKills += 1;
        await end(hub);
        await pause(Math.random() * 300);
        hub = startHub();
        await ready(address);
      } else {
        workerKills += 1;
        workers[Math.floor(Math.random() * workers.length)]!.child.kill('SIGKILL');
      }
    }
  }

  async function allDone(): Promise<boolean> {
    const deadline = performance.now() + options.maxMs;
    while (performance.now() < deadline) {
      await pause(300);
      const left = await remaining(address).catch(() => undefined);
      if (left === 0) return true;
    }
    return false;
  }
}

export async function remaining(address: string): Promise<number> {
  const [all, done] = await Promise.all(
    ['', '?status=done'].map((query) => total(`${address}/api/board/tasks${query}`)),
  );
  return all! - done!;
}

async function total(url: string): Promise<number> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  return ((await response.json()) as { total: number }).total;
}

export async function createTasks(address: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  const one = async (i: number) => {
    const response = await fetch(`${address}/api/board/tasks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: `task ${i}`, priority: i % 3 }),
    });
    if (!response.ok) throw new Error(`create answered ${response.status}: ${await response.text()}`);
    ids.push(((await response.json()) as { id: string }).id);
  };
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (next < count) await one(next++);
    }),
  );
  return ids;
}

export function readJournal(path: string): Entry[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as Entry);
}

export async function ready(address: string): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    const isUp = await fetch(`${address}/api/health`, { signal: AbortSignal.timeout(2_000) }).then(
      (response) => response.ok,
      () => false,
    );
    if (isUp) return;
    await pause(50);
  }
  throw new Error('the hub did not come up');
}

export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}
