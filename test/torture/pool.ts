import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { pause } from '../../src/kernel/clock.ts';
import { openDatabase } from '../../src/store/open.ts';
import { sql } from '../../src/store/sql.ts';
import { AGENT } from '../fixtures/dispatch-hub.ts';
import { freePort } from '../fixtures/free-port.ts';
import { end, ready } from './torture.ts';

/**
 * Hubs on one PostgreSQL and runners, each behind a cable of its own that can be cut; hubs and runners are killed and begin again,
 * cables are cut and healed. Asked afterwards: did every run end once, did ever two attempts act, is any frame lost or there
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
  done: number;
  seconds: number;
  violations: readonly string[];
}>;

export function describePool({ runs, attempts, kills, cuts, done, seconds, violations }: PoolReport): string {
  const parts = [
    `${runs} runs, ${done} of them done, in ${attempts} attempts`,
    `${kills} kills, ${cuts} cuts`,
    `${violations.length} violations, ${seconds.toFixed(0)} s`,
  ];
  return `pool: ${parts.join('; ')}\n`;
}

const TOKEN = 't'.repeat(40);
const LINES = 12;
const PROMPT = [
  'env HOLDFAST_ATTEMPT',
  ...Array.from({ length: LINES }, (_, i) => `say l${i}\nsleep 40`),
].join('\n');

type Hub = { readonly port: number; readonly home: string; child: ChildProcess };
type Cable = Readonly<{ url: string; cut(ms: number): Promise<void>; close(): void }>;
type Runner = { readonly name: string; readonly home: string; readonly cable: Cable; child: ChildProcess };

export async function torturePool(options: PoolOptions): Promise<PoolReport> {
  const { database, holdfast } = options;
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-pool-'));
  const began = performance.now();
  const hubs: Hub[] = [];
  const runners: Runner[] = [];
  const cables: Cable[] = [];
  let [kills, cuts, isOver] = [0, 0, false];
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
        ...cables.map(({ url }) => new URL(url).host),
      ],
      { env: envOf(home), stdio: ['ignore', 'ignore', 'inherit'] },
    );
  const startRunner = ({ name, home, cable }: Omit<Runner, 'child'>) =>
    spawn(
      process.execPath,
      [
        holdfast,
        'runner',
        '--hub',
        cable.url,
        '--token-file',
        join(home, 'token'),
        '--name',
        name,
        '--slots',
        '3',
      ],
      {
        env: { ...envOf(home), HOLDFAST_TOKEN: undefined, HOLDFAST_DATABASE_URL: undefined },
        stdio: ['ignore', 'ignore', 'ignore'],
      },
    );
  const ask = async (hub: Hub, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const request = {
      method: body ? 'POST' : 'GET',
      headers,
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(5_000),
    };
    return (await (await fetch(`http://127.0.0.1:${hub.port}${path}`, request)).json()) as {
      task_id?: string;
    };
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
        await runners[Math.floor(Math.random() * runners.length)]!.cable.cut(200 + Math.random() * 1_500);
      }
      await pause(100 + Math.random() * 300);
    }
  }

  try {
    const ports = await Promise.all(Array.from({ length: options.hubs }, () => freePort()));
    for (let i = 0; i < options.runners; i += 1) cables.push(await layCable(ports[i % ports.length]!));
    for (const [i, port] of ports.entries()) {
      const at = { port, home: homeFor(`hub${i}`, { agents }) };
      hubs.push({ ...at, child: startHub(at) });
      await ready(`http://127.0.0.1:${at.port}`);
    }
    for (const [i, cable] of cables.entries()) {
      const name = `r${i}`;
      const at = { name, home: homeFor(name, { agents }), cable };
      const made = execFileSync(process.execPath, [holdfast, 'token', 'create', '--runner', name], {
        env: envOf(hubs[0]!.home),
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      writeFileSync(join(at.home, 'token'), made);
      runners.push({ ...at, child: startRunner(at) });
    }
    const sent: string[] = [];
    const troubled = trouble();
    while (sent.length < options.runs) {
      // So that there is work for as long as there is trouble.
      if (sent.length / options.runs > kills / options.kills + 0.1) {
        await pause(50);
        continue;
      }
      const key = `pool-${sent.length}`;
      const body = { instance: 'script', prompt: PROMPT, async: true, idempotencyKey: key };
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
      await pause(1_000);
      const violations = [...(await look(db, sent)), ...processesLeft(sent)];
      const states = await db.read((q) =>
        q.all<{ state: string; n: number }>(sql`select state, count(*) as n from runs group by state`),
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
        done,
        seconds: (performance.now() - began) / 1_000,
        violations,
      };
    } finally {
      await db.close();
    }
  } finally {
    isOver = true;
    for (const { child } of runners) await end(child);
    for (const cable of cables) cable.close();
    for (const { child } of hubs) await end(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Every run ended once; its attempts follow each other; each said the beginning of what it says, the last one all of it. */
async function look(
  db: Awaited<ReturnType<typeof openDatabase>>,
  runs: readonly string[],
): Promise<string[]> {
  const wrong: string[] = [];
  for (const id of runs) {
    const [run, attempts, events] = await db.read(async (q) => [
      await q.get<{ state: string }>(sql`select state from runs where id = ${id}`),
      await q.all<{ n: number; started_at: number; ended_at: number | null; ended_as: string | null }>(
        sql`select n, started_at, ended_at, ended_as from run_attempts where run_id = ${id} order by n`,
      ),
      await q.all<{ kind: string; data: string }>(
        sql`select kind, data from run_events where run_id = ${id} order by id`,
      ),
    ]);
    const ends = events.filter(({ kind }) => kind === 'terminal').length;
    if (ends !== 1) wrong.push(`${id}: ${ends} ends, ${run?.state}`);
    for (const [i, { n, started_at: from, ended_at: to }] of attempts.entries()) {
      if (to === null) wrong.push(`${id}: attempt ${n} is open`);
      if (i > 0 && from < (attempts[i - 1]!.ended_at ?? Infinity))
        wrong.push(`${id}: attempt ${n} began before the one before it ended`);
    }
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

function processesLeft(runs: readonly string[]): string[] {
  const own = new Set(runs);
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [, run] = /HOLDFAST_RUN_ID=([^\0]+)/.exec(readFileSync(`/proc/${name}/environ`, 'latin1')) ?? [];
      return run !== undefined && own.has(run) ? [`${run}: process ${name} is left`] : [];
    } catch {
      return [];
    }
  });
}

/** A way to a hub that can be cut: what is on it is lost, and nothing new gets through for a while. */
async function layCable(port: number): Promise<Cable> {
  const open = new Set<Socket>();
  let isCut = false;
  const server: Server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(port, '127.0.0.1');
    for (const each of [near, far]) {
      open.add(each);
      each.on('error', () => undefined);
      each.on('close', () => {
        open.delete(each);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async cut(ms) {
      isCut = true;
      for (const each of open) each.destroy();
      await pause(ms);
      isCut = false;
    },
    close() {
      for (const each of open) each.destroy();
      server.close();
    },
  };
}
