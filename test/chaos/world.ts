// What breaks, and how: hubs, what they stand on and whoever works with them. What this machine cannot do is said.
import { join } from 'node:path';
import { rmSync } from 'node:fs';
import pg from 'pg';
import { pause } from '../../src/kernel/clock.ts';
import type { PostgresServer } from '../fixtures/postgres-server.ts';
import { faulty, sourcesOf } from '../fixtures/sources.ts';
import { makeScratch } from '../fixtures/scratch.ts';
import { type Mortal, openMortal, openWire, type Wire } from '../linear/faults.ts';
import { setClock } from './clock.ts';
import { type Crowd, openCrowd } from './crowd.ts';
import { type Disk, mountDisk } from './disk.ts';
import { AGENTS, type Dispatched, openDispatched } from './dispatched.ts';
import { freeze, slowSyncs, squeeze, starve, whyNoSlowSyncs } from './process-faults.ts';
import { SOURCE } from './work.ts';

export type World = Readonly<{
  token: string;
  hubs: readonly Mortal[];
  crowd: Crowd;
  dispatched: Dispatched;
  faults: Readonly<Record<string, () => Promise<void>>>;
  /** Faults that cannot be made here, and why. */
  left: readonly string[];
  location: string;
  schema: string | undefined;
  close(): Promise<void>;
}>;

const TOKEN = 't'.repeat(40);
const LASTING_MS = 1_500;
const DYING_MS = 300;
/** Longer than any lease here, and an hour back: then nobody's lease is over, or all are. */
const JUMPS = [10, -3_600];

type Asked = Readonly<{ server: PostgresServer | undefined; workers: number }>;

export async function openWorld({ server, workers }: Asked): Promise<World> {
  const folder = makeScratch('test');
  const wire = server && (await openWire(server.url));
  const disk = wire ? undefined : mountDisk();
  const clock = setClock(folder);
  const schema = wire && `chaos_${process.pid}`;
  const location = wire ? wire.url : join(disk?.folder ?? folder, 'holdfast.db');
  const env = {
    HOLDFAST_LEASE: '3s',
    HOLDFAST_TOKEN: TOKEN,
    ...clock.env,
    ...(wire
      ? { HOLDFAST_DATABASE_URL: wire.url, HOLDFAST_DATABASE_SCHEMA: schema }
      : { CLAWBOO_DB_PATH: location }),
  };
  const settings = { agents: AGENTS, sources: { [SOURCE]: { command: faulty('good'), trust: 'all' } } };
  const hubs = [await openMortal(env, settings), ...(wire ? [await openMortal(env, settings)] : [])];
  const addresses = hubs.map(({ address }) => address);
  const first = { PATH: process.env['PATH'], ...env, HOLDFAST_HOME: hubs[0]!.home };
  const dispatched = await openDispatched({ addresses, token: TOKEN, folder, env: first });
  const crowd = openCrowd(workers, { addresses, token: TOKEN });

  const any = (): Mortal => hubs[Math.floor(Math.random() * hubs.length)]!;
  const slow = server ? undefined : whyNoSlowSyncs();
  let jumps = 0;
  const faults = {
    'hubs killed': () => any().killAndStart(),
    'agents killed': () => crowd.killOne(),
    'runners killed': () => dispatched.killRunner(),
    'sources killed': async () => hubs.forEach(killSources),
    frozen: () => freeze(any().pid(), LASTING_MS),
    'short of files': () => starve(any().pid(), LASTING_MS),
    'short of memory': () => squeezeOne(any()),
    'clocks set': () => clock.jump(JUMPS[jumps++ % JUMPS.length]!, 2 * LASTING_MS),
    ...(wire && faultsOfServer(wire, server)),
    ...(disk && faultsOfDisk(disk, hubs[0]!)),
    ...(!wire && slow === undefined && { 'syncs slow': () => slowSyncs(any().pid(), LASTING_MS) }),
  };
  return {
    token: TOKEN,
    hubs,
    crowd,
    dispatched,
    faults,
    left: [
      ...(wire || disk ? [] : ['no disk can be mounted here, so none was full or read-only']),
      ...(slow === undefined ? [] : [`no sync was slow: ${slow}`]),
      ...(clock.means === 'libfaketime' ? [] : ['libfaketime is not installed: clocks were set inside Node']),
    ],
    location: server?.url ?? location,
    schema,
    async close() {
      await dispatched.close();
      await Promise.all(hubs.map((hub) => hub.stop()));
      wire?.close();
      disk?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function faultsOfServer(wire: Wire, server: PostgresServer): World['faults'] {
  return {
    'connections cut': async () => wire.cut(),
    'held up': () => wire.holdUp(LASTING_MS),
    'said twice': () => wire.double(LASTING_MS),
    'PostgreSQL killed': () => server.restart('immediate'),
    'commits slow': () => slowCommits(server.url),
  };
}

function faultsOfDisk(disk: Disk, hub: Mortal): World['faults'] {
  return {
    'disk full': () => disk.fill(LASTING_MS),
    'disk read-only': () => hub.killAndStart(() => disk.readOnly(() => refusesToStart(hub))),
  };
}

function killSources(hub: Mortal): void {
  for (const pid of sourcesOf(hub.pid())) process.kill(pid, 'SIGKILL');
}

/** It may die of it. */
async function squeezeOne(hub: Mortal): Promise<void> {
  await squeeze(hub.pid(), LASTING_MS);
  await pause(DYING_MS);
  await hub.revive();
}

/** With a sentence, not with a trace of where in the program it was. */
async function refusesToStart(hub: Mortal): Promise<void> {
  const said = await hub.tryStart().then(
    () => 'it started',
    (error: unknown) => String(error),
  );
  if (!/read-?only|written/i.test(said) || /\n\s+at /.test(said))
    throw new Error(`on a read-only disk: ${said}`);
}

/** Each commit that waits for the disk waits this long more. */
async function slowCommits(url: string): Promise<void> {
  await settings(url, 'alter system set commit_siblings = 0', 'alter system set commit_delay = 100000');
  await pause(LASTING_MS);
  await settings(url, 'alter system reset commit_delay');
}

async function settings(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  for (const statement of [...statements, 'select pg_reload_conf()']) await client.query(statement);
  await client.end();
}
