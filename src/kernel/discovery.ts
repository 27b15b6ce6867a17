import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPostgresUrl } from './config.ts';
import { fs } from './node-builtins.ts';
import { realFile } from './real-file.ts';
import { replaceFile } from './replace-file.ts';

/**
 * How a stdio bin finds the live hub of its database; part of its fast path. The record lies beside a SQLite file, so that a bin
 * with another home still finds it; for PostgreSQL it lies in the home, under a name made from the URL.
 */
export type HubRecord = Readonly<{
  pid: number;
  hub: string;
  version: string;
  /** http://host:port */
  address: string;
  socket: string;
  startedAt: number;
  /** Where its token lies, for commands of the same user that use another home. */
  tokenFile?: string;
}>;

type Place = Readonly<{ home: string; database: string; databaseSchema?: string }>;

export function recordPath(place: Place): string {
  if (!isPostgresUrl(place.database)) return `${realFile(place.database)}.hub.json`;
  return join(place.home, 'run', `${fingerprint(place)}.hub.json`);
}

/** A path the kernel accepts: socket addresses end at 104 bytes on macOS and 108 on Linux. */
export function socketPath(place: Place): string {
  const name = fingerprint(place);
  if (process.platform === 'win32') return `\\\\.\\pipe\\holdfast-${name}`;
  const near = join(place.home, 'run', `${name}.sock`);
  if (Buffer.byteLength(near) <= 100) return near;
  return join(
    process.env['XDG_RUNTIME_DIR'] || tmpdir(),
    `holdfast-${process.getuid?.() ?? 0}`,
    `${name}.sock`,
  );
}

/** Undefined when there is none or it is not ours to understand; a half-written record cannot exist. */
export function readHubRecord(path: string): HubRecord | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(fs.readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
  return isHubRecord(parsed) ? parsed : undefined;
}

export function writeHubRecord(path: string, record: HubRecord): void {
  replaceFile(path, `${JSON.stringify(record)}\n`);
}

/** Leaves any other hub's record alone. Processes of two containers may have the same number, hubs never have. */
export function removeHubRecord(path: string, own: Pick<HubRecord, 'hub' | 'pid'>): void {
  const there = readHubRecord(path);
  if (there?.hub === own.hub && there.pid === own.pid) fs.rmSync(path, { force: true });
}

/** The hub that owns a database now. */
export async function runningHub(place: Place): Promise<HubRecord | undefined> {
  const record = readHubRecord(recordPath(place));
  return record && (await isHubAlive(record)) ? record : undefined;
}

/** A pid can be reused and a socket file can outlive its hub, so both must answer. */
export async function isHubAlive(record: HubRecord): Promise<boolean> {
  return isProcessAlive(record.pid) && (await answers(record.socket));
}

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    const finish = (alive: boolean) => {
      probe.destroy();
      resolve(alive);
    };
    probe.setTimeout(2000, () => finish(false));
    probe.once('connect', () => finish(true));
    probe.once('error', () => finish(false));
  });
}

function isHubRecord(value: unknown): value is HubRecord {
  if (typeof value !== 'object' || value === null) return false;
  const record = value as Partial<Record<keyof HubRecord, unknown>>;
  return (
    Number.isInteger(record.pid) &&
    (record.pid as number) > 0 &&
    typeof record.socket === 'string' &&
    typeof record.address === 'string'
  );
}

/** The same for every spelling of one database; user and password do not count, the schema does. */
function fingerprint({ database, databaseSchema = '' }: Place): string {
  if (!isPostgresUrl(database) || !URL.canParse(database)) return fnv1a(realFile(database));
  const { host, pathname } = new URL(database);
  return fnv1a(`${host}${pathname}#${databaseSchema}`);
}

/** Tells databases apart, guards nothing; node:crypto would cost a stdio bin a quarter of its start. */
function fnv1a(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}
