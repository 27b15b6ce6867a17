// Hubs killed inside the checkpoints of SQLite, on a disk with room and on one that fills up: what was acknowledged is
// there again at the next start.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pause } from '../../src/kernel/clock.ts';
import { isShort } from '../../src/store/dialects/sqlite/file.ts';
import { inspectSqlite } from '../../src/store/dialects/sqlite/inspect.ts';
import { Connection } from '../../src/store/dialects/sqlite/connection.ts';
import { sql } from '../../src/store/sql.ts';
import { freePort } from '../fixtures/free-port.ts';

export type CheckpointPlan = Readonly<{
  rounds: number;
  holdfast: string;
  /** On a small disk that is full before the log is folded in. */
  isFilling: boolean;
}>;

export type CheckpointReport = Readonly<{
  rounds: number;
  acknowledged: number;
  /** Rounds after which the file was shorter than its header said: killed, or out of room, right in the middle. */
  inTheMiddle: number;
  /** Rounds in which a write was refused because the disk was full. */
  refused: number;
  seconds: number;
  violations: readonly string[];
}>;

export function describeCheckpoints(report: CheckpointReport): string {
  const { rounds, acknowledged, inTheMiddle, refused, violations, seconds } = report;
  const what = `${rounds} hubs killed in checkpoints, ${inTheMiddle} right in the middle, ${refused} on a full disk`;
  return `${what}: ${acknowledged} acknowledged writes, ${violations.length} violations, ${seconds.toFixed(0)} s\n`;
}

/** A database is given up before it is large: each checkpoint makes it 16 MB longer. */
const ROUNDS_PER_DATABASE = 8;
const WRITERS = 8;
const DESCRIPTION = 'kelp holds on to its rock '.repeat(760);
const DISK = { megabytes: 64, least: 19, most: 34 };

export async function tortureCheckpoints({
  rounds,
  holdfast,
  isFilling,
}: CheckpointPlan): Promise<CheckpointReport> {
  const started = performance.now();
  const base = mkdtempSync(join(tmpdir(), 'holdfast-torture-'));
  const total = { acknowledged: 0, inTheMiddle: 0, refused: 0 };
  const violations: string[] = [];
  if (isFilling) execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK.megabytes}m`, 'tmpfs', base]);
  try {
    for (let done = 0; done < rounds;) {
      const home = mkdtempSync(join(base, 'home-'));
      const most = Math.min(rounds - done, isFilling ? 1 : ROUNDS_PER_DATABASE);
      try {
        await killSome({ home, holdfast, isFilling }, most, (killed) => {
          total.acknowledged += killed.acknowledged.length;
          if (killed.wasInTheMiddle) total.inTheMiddle += 1;
          if (killed.wasRefused) total.refused += 1;
        });
      } catch (error) {
        violations.push(`in rounds ${done + 1} to ${done + most}: ${(error as Error).message}`);
      }
      rmSync(home, { recursive: true, force: true });
      done += most;
    }
  } finally {
    if (isFilling) execFileSync('umount', ['-l', base]);
    rmSync(base, { recursive: true, force: true });
  }
  return { rounds, ...total, seconds: (performance.now() - started) / 1000, violations };
}

type Place = Readonly<{ home: string; holdfast: string; isFilling: boolean }>;
type Killed = Readonly<{ acknowledged: string[]; wasInTheMiddle: boolean; wasRefused: boolean }>;

/** Kills hub after hub on one database. Each must come up on what the one before it left, and have all of it. */
async function killSome(place: Place, rounds: number, onKilled: (killed: Killed) => void): Promise<void> {
  const database = join(place.home, 'holdfast.db');
  const known: string[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const port = await freePort();
    const hub = startHub(place, port);
    try {
      await ready(hub, `http://127.0.0.1:${port}`);
      requireAll(database, known);
      if (round === rounds) continue;
      const killed = await killInside(place, hub, `http://127.0.0.1:${port}/api/board/tasks`);
      onKilled(killed);
      known.push(...killed.acknowledged);
    } finally {
      hub.kill('SIGKILL');
    }
    // As a doctor would: reads every page, and repairs nothing.
    inspectSqlite(database);
  }
}

function startHub({ home, holdfast }: Place, port: number): ChildProcess {
  return spawn(process.execPath, [holdfast, 'up', '--port', String(port)], {
    env: { PATH: process.env['PATH'], HOLDFAST_HOME: home, HOLDFAST_LOG: 'silent' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** Writes until the log is folded into the file, and kills the hub while it is. */
async function killInside({ home, isFilling }: Place, hub: ChildProcess, url: string): Promise<Killed> {
  const database = join(home, 'holdfast.db');
  const ballast = join(home, 'ballast');
  if (isFilling) fillUp(ballast);
  // A checkpoint that finds no room says nothing; the log grows on until a write is refused.
  const isOver = isFilling && Math.random() < 0.7 ? () => false : changeOf(database);
  const written = await writeUntilKilled(hub, url, isOver);
  const wasInTheMiddle = isShort(database);
  rmSync(ballast, { force: true });
  return { ...written, wasInTheMiddle };
}

function fillUp(ballast: string): void {
  const free = DISK.least + Math.random() * (DISK.most - DISK.least);
  writeFileSync(ballast, Buffer.alloc(Math.round((DISK.megabytes - free) * 2 ** 20)));
}

/** Tells when the main file is written to: only a checkpoint does that. */
function changeOf(database: string): () => boolean {
  const touched = () => statSync(database, { bigint: true }).mtimeNs;
  const before = touched();
  return () => touched() !== before;
}

async function writeUntilKilled(
  hub: ChildProcess,
  url: string,
  isOver: () => boolean,
): Promise<Omit<Killed, 'wasInTheMiddle'>> {
  const acknowledged: string[] = [];
  const gone = once(hub, 'exit');
  let [over, wasRefused] = [false, false];
  const write = async () => {
    while (!over) {
      const response = await post(url).catch(() => undefined);
      if (response?.status === 201 || response?.status === 200)
        await response.json().then(
          (task) => acknowledged.push((task as { id: string }).id),
          () => undefined,
        );
      else if (response?.status === 503) wasRefused = true;
      else if (response !== undefined) throw new Error(`a write was answered with ${response.status}`);
    }
  };
  const writers = Array.from({ length: WRITERS }, write);
  for (const end = performance.now() + 30_000; performance.now() < end; await immediately())
    if (isOver() || wasRefused) break;
  for (const end = performance.now() + Math.random() * (wasRefused ? 100 : 6); performance.now() < end;)
    await immediately();
  hub.kill('SIGKILL');
  over = true;
  await gone;
  await Promise.all(writers);
  return { acknowledged, wasRefused };
}

function post(url: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'x', description: DESCRIPTION }),
    signal: AbortSignal.timeout(10_000),
  });
}

function immediately(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function ready(hub: ChildProcess, address: string): Promise<void> {
  let said = '';
  hub.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()));
  for (let tries = 0; tries < 400 && hub.exitCode === null; tries += 1) {
    const isUp = await fetch(`${address}/api/health`, { signal: AbortSignal.timeout(2_000) }).then(
      (response) => response.ok,
      () => false,
    );
    if (isUp) return;
    await pause(50);
  }
  throw new Error(`the hub did not come up: ${said.trim()}`);
}

function requireAll(database: string, known: readonly string[]): void {
  const connection = new Connection(database, { readonly: true });
  try {
    const rows = connection.all<{ id: string }>(sql`select id from tasks`);
    const there = new Set(rows.map(({ id }) => id));
    const missing = known.filter((id) => !there.has(id));
    if (missing.length > 0)
      throw new Error(`${missing.length} acknowledged tasks are missing: ${missing[0]}`);
  } finally {
    connection.close();
  }
}

/** The same on a small disk, which only a process of its own may mount. Undefined where the system does not allow it. */
export async function tortureFullDisk(
  plan: Omit<CheckpointPlan, 'isFilling'>,
): Promise<CheckpointReport | undefined> {
  const script = fileURLToPath(new URL('checkpoints-main.ts', import.meta.url));
  const asked = JSON.stringify({ ...plan, isFilling: true });
  const child = spawn('unshare', ['-rm', process.execPath, '--no-warnings', script, asked], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.on('error', () => undefined);
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) return undefined;
  return JSON.parse(said) as CheckpointReport;
}
