import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isThere } from './process/signal.ts';
import { isPostgresUrl } from './site.ts';
import { readFileSync, rmSync } from 'node:fs';
import { realFile } from './real-file.ts';
import { replaceFile } from './replace-file.ts';

/**
 * How a stdio bin finds the live hub of its database; part of its fast path. The announcement lies beside a SQLite file, so that a bin
 * with another home still finds it; for PostgreSQL it lies in the home, under a name made from the URL.
 */
export type HubAnnouncement = Readonly<{
  pid: number;
  hub: string;
  version: string;
  /** http://host:port */
  address: string;
  socket: string;
  startedAt: number;
  /** Where its token lies, for commands of the same user that use another home. */
  tokenFile?: string;
  /** What asks the same user for a token. */
  asksToken?: 'everything' | 'hub' | 'nothing';
}>;

/** Which database, and whose home. */
type HubSite = Readonly<{ home: string; database: string; databaseSchema?: string }>;

export function announcementPath(site: HubSite): string {
  if (!isPostgresUrl(site.database)) return `${realFile(site.database)}.hub.json`;
  return join(site.home, 'run', `${fingerprint(site)}.hub.json`);
}

/** A path the kernel accepts: socket addresses end at 104 bytes on macOS and 108 on Linux. */
export function socketPath(site: HubSite): string {
  const name = fingerprint(site);
  if (process.platform === 'win32') return `\\\\.\\pipe\\holdfast-${name}`;
  const near = join(site.home, 'run', `${name}.sock`);
  if (Buffer.byteLength(near) <= 100) return near;
  return join(
    process.env['XDG_RUNTIME_DIR'] || tmpdir(),
    `holdfast-${process.getuid?.() ?? 0}`,
    `${name}.sock`,
  );
}

/** Undefined when there is none or it is not ours to understand; a half-written one cannot exist. */
export function readAnnouncement(path: string): HubAnnouncement | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
  return isAnnouncement(parsed) ? parsed : undefined;
}

export function announceHub(path: string, announced: HubAnnouncement): void {
  replaceFile(path, `${JSON.stringify(announced)}\n`);
}

/** Leaves any other hub's announcement alone. Processes of two containers may have the same number, hubs never have. */
export function withdrawHub(path: string, own: Pick<HubAnnouncement, 'hub' | 'pid'>): void {
  const there = readAnnouncement(path);
  if (there?.hub === own.hub && there.pid === own.pid) rmSync(path, { force: true });
}

/** The hub that owns a database now. */
export async function runningHub(site: HubSite): Promise<HubAnnouncement | undefined> {
  const announced = readAnnouncement(announcementPath(site));
  return announced && (await isHubAlive(announced)) ? announced : undefined;
}

/** A pid can be reused and a socket file can outlive its hub, so both must answer. */
export async function isHubAlive(announced: HubAnnouncement): Promise<boolean> {
  return isThere(announced.pid) && (await answers(announced.socket));
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

function isAnnouncement(value: unknown): value is HubAnnouncement {
  if (typeof value !== 'object' || value === null) return false;
  const announced = value as Partial<Record<keyof HubAnnouncement, unknown>>;
  return (
    Number.isInteger(announced.pid) &&
    (announced.pid as number) > 0 &&
    typeof announced.socket === 'string' &&
    typeof announced.address === 'string'
  );
}

/** The same for every spelling of one database; user and password do not count, the schema does. */
function fingerprint({ database, databaseSchema = '' }: HubSite): string {
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
