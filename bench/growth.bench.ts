import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { type Asker, askerOf, type Operation, OPERATIONS } from './growth-operations.ts';
import { openSeeded, type Seeded, type Wanted } from './growth-seeded.ts';
import type { BenchOptions } from './options.ts';
import { residentOf, root, startHub } from './process.ts';
import { recordGrowth } from './growth-record.ts';
import { atMost, type Row } from './row.ts';
import { watchServer } from './server-cpu.ts';

export const title =
  'Growth: tasks, facts, turns, audit rows, events, mails and memories of a Being, so many of each; CPU per call, the server’s included';

const SIZES = [1_000, 10_000, 100_000];
const MILLION = 1_000_000;

/** Milliseconds of CPU, and until the answer; and how large the hub was afterwards. */
export type Cost = Readonly<{ cpu: number; p50: number; p95: number; mb: number }>;
export type Figures = Wanted &
  Readonly<{
    seedSeconds: number;
    /** From spawn to the first line that says where it listens; and the CPU of the hub until then. */
    startMs: number;
    startCpuMs: number;
    /** Of the hub in MB: after the start, and after everything that was asked. */
    memory: readonly [number, number];
    /** In MB. */
    disk: number;
    /** SQLite: `holdfast backup`, the CPU of the command in milliseconds. */
    backupMs?: number;
    costs: Readonly<Record<string, Cost>>;
  }>;

export async function measure(options: BenchOptions): Promise<readonly Row[]> {
  const { sizes = SIZES, engines, mostFacts, keep, isRecorded } = options;
  const rows: Row[] = [];
  for (const engine of engines) {
    const figures: Figures[] = [];
    for (const size of sizes)
      figures.push(await figuresOf({ engine, size, facts: Math.min(size, mostFacts) }, keep));
    if (isRecorded) recordGrowth(figures);
    rows.push(...rowsOf(figures));
  }
  return rows;
}

async function figuresOf(wanted: Wanted, keep: string | undefined): Promise<Figures> {
  const seeded = await openSeeded(wanted, keep);
  try {
    return { ...wanted, seedSeconds: seeded.seconds, ...(await askAll(seeded, wanted.size)) };
  } finally {
    await seeded.close();
  }
}

async function askAll({ home, location, isServer }: Seeded, size: number) {
  const env = { HOLDFAST_HOME: home, CLAWBOO_DB_PATH: location, HOLDFAST_LIMIT_ROOT_TASKS: '0' };
  // The first start of a version may have to read something anew; what counts is the next one.
  await (await startHub(env)).stop();
  const begun = performance.now();
  const hub = await startHub(env);
  const startMs = performance.now() - begun;
  const startCpuMs = (await hub.cpu()) / 1_000;
  const watched = isServer ? await watchServer(location) : undefined;
  const cpu = async () => (await hub.cpu()) + (watched?.cpu() ?? 0);
  const memory = (): number => Math.round(residentOf(hub.pid) / 1024);
  try {
    const after = memory();
    const token = readFileSync(join(home, 'token'), 'utf8').trim();
    const asker = await askerOf({ address: hub.address, token });
    const costs: Record<string, Cost> = {};
    for (const operation of OPERATIONS) {
      costs[operation.what] = { ...(await costOf(operation, { asker, cpu })), mb: memory() };
      console.error(`  ${size} ${operation.what}: ${costs[operation.what]!.cpu.toFixed(2)} ms`);
    }
    await setTimeout(QUIET_MS);
    const memoryMb = [after, memory()] as const;
    const figures = { startMs, startCpuMs, memory: memoryMb, disk: await diskOf(location), costs };
    return isServer ? figures : { ...figures, backupMs: await backup(env) };
  } finally {
    await watched?.close();
    await hub.stop();
  }
}

const ROUNDS = 3;
/** After work a hub gives memory back; what stays is what counts. */
const QUIET_MS = 3_000;

/** The best of three rounds in CPU: what else the hub does in between is not the call's. */
async function costOf(
  { ask, calls, isLinear }: Operation,
  { asker, cpu }: Readonly<{ asker: Asker; cpu(): Promise<number> }>,
): Promise<Omit<Cost, 'mb'>> {
  let i = 0;
  const times: number[] = [];
  const spent: number[] = [];
  if (!isLinear) for (let k = 0; k < Math.ceil(calls / 3); k += 1) await ask(asker, i++);
  for (let round = 0; round < (isLinear ? 1 : ROUNDS); round += 1) {
    const before = await cpu();
    for (let k = 0; k < calls; k += 1) {
      const begun = performance.now();
      await ask(asker, i++);
      times.push(performance.now() - begun);
    }
    spent.push(((await cpu()) - before) / 1_000 / calls);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)]!;
  return { cpu: Math.min(...spent), p50: at(0.5), p95: at(0.95) };
}

async function diskOf(location: string): Promise<number> {
  if (!location.startsWith('postgres')) return statSync(location).size / 1e6;
  const client = new pg.Client(location);
  await client.connect();
  const { rows } = await client.query<{ n: string }>('select pg_database_size(current_database()) as n');
  await client.end();
  return Number(rows[0]!.n) / 1e6;
}

/** While the hub runs, as people do it. */
async function backup(env: NodeJS.ProcessEnv): Promise<number> {
  const file = join(env['HOLDFAST_HOME']!, 'backup.db');
  const script = `
    process.on('exit', () => {
      const { user, system } = process.cpuUsage();
      process.stderr.write(\`CPU \${(user + system) / 1000}\\n\`);
    });`;
  const preload = `data:text/javascript,${encodeURIComponent(script)}`;
  const child = spawn(
    process.execPath,
    ['--import', preload, `${root}dist/bin/holdfast.js`, 'backup', file],
    {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`backup: ${said}`);
  return Number(/CPU ([\d.]+)/.exec(said)?.[1]);
}

function rowsOf(figures: readonly Figures[]): Row[] {
  const [base, ...larger] = figures as [Figures, ...Figures[]];
  const shown = larger.length > 0 ? larger : [base];
  const rows = OPERATIONS.flatMap(({ what, isLinear }) =>
    shown.map((each) => costRow({ what, isLinear: isLinear === true }, base, each)),
  );
  return [...rows, ...shown.flatMap(wholeRows)];
}

const count = (size: number): string => size.toLocaleString('en');

function costRow(
  { what, isLinear }: Readonly<{ what: string; isLinear: boolean }>,
  base: Figures,
  each: Figures,
): Row {
  const [ours, first] = [each.costs[what]!, base.costs[what]!];
  const share = isLinear ? each.size / base.size : 1;
  const more = `p50 ${ours.p50.toFixed(1)}, p95 ${ours.p95.toFixed(1)}; ${ours.mb} MB`;
  return {
    what: `${each.engine} ${count(each.size)}: ${what}${isLinear ? ', per row' : ''}`,
    ours: `${ours.cpu.toFixed(2)} ms (${more})`,
    baseline: `${first.cpu.toFixed(2)} ms at ${count(base.size)}`,
    ratio: ours.cpu / first.cpu / share,
    hold: atMost(2),
  };
}

/** Of what must hold at a million, which therefore holds below it too. */
function wholeRows({
  engine,
  size,
  startMs,
  startCpuMs,
  memory,
  disk,
  backupMs,
  seedSeconds,
  costs,
}: Figures): Row[] {
  const at = `${engine} ${count(size)}`;
  const most = Math.max(...memory, ...Object.values(costs).map(({ mb }) => mb));
  return [
    {
      what: `${at}: start of the hub, CPU (${startMs.toFixed(0)} ms until it listened)`,
      ours: `${startCpuMs.toFixed(0)} ms`,
      baseline: '2,000 ms',
      ratio: startCpuMs / 2_000,
      hold: atMost(1),
    },
    {
      what: `${at}: memory of the hub, the most (${memory[0]} MB after its start, ${memory[1]} MB at rest)`,
      ours: `${most} MB`,
      baseline: '400 MB',
      ratio: most / 400,
      hold: atMost(1),
    },
    {
      what: `${at}: disk, for each of all (seeded in ${seedSeconds.toFixed(0)} s)`,
      ours: `${disk.toFixed(0)} MB`,
      baseline: `${((disk * 1e6) / size / 1e3).toFixed(1)} KB each`,
      ratio: size / MILLION,
    },
    ...(backupMs === undefined
      ? []
      : [
          {
            what: `${at}: backup while it runs, CPU`,
            ours: `${backupMs.toFixed(0)} ms`,
            baseline: `${(backupMs / disk).toFixed(1)} ms per MB`,
            ratio: backupMs / disk / 10,
          },
        ]),
  ];
}
