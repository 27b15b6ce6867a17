/**
 * Reads what clients have written since the last time. A slice and the position after it are one transaction, so killed at any
 * moment nothing is read twice and nothing is left out. In the background it rests between slices (`budget.ts`); `sync` does not.
 */
import { lstat, readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Environment } from '../../../kernel/config.ts';
import { reasonOf } from '../../../kernel/file-faults.ts';
import { sha256 } from '../../../kernel/digest.ts';
import type { Log } from '../../../kernel/log.ts';
import { excerpt } from '../../../kernel/redact.ts';
import type { Database } from '../../../store/database.ts';
import type { Owner } from '../owner.ts';
import { filesOf } from '../rows/files.ts';
import { sessionFolders } from '../rows/sessions.ts';
import type { StoredFile } from '../rows/tables.ts';
import type { ClientState } from '../session.ts';
import type { SessionClient, SessionSettings } from '../settings.ts';
import { keepSlices, type ReadSlice } from './keep-slices.ts';
import { readRows } from './opencode-rows.ts';
import { readTree } from './opencode-tree.ts';
import { listSessionFiles, type SessionPlace, placesOf } from './places.ts';
import { readLines } from './read-lines.ts';
import { readSlice, UnreadableFile } from './slice.ts';
import type { Locate } from './whereabouts.ts';

export type FollowParts = Readonly<{
  db: Database;
  own: Owner;
  settings: SessionSettings;
  locate: Locate;
  env: Environment;
  log: Log;
}>;

export type Pace = Readonly<{
  bytes: number;
  rows: number;
  /** Work begins now, after whatever it had to wait for. */
  begin(): void;
  /** Between pieces of work. The signal ends a rest, too. */
  rest(signal: AbortSignal | undefined): Promise<void>;
  signal?: AbortSignal | undefined;
}>;

/** Larger slices are fewer parts of the index that have to be merged later. */
export const HURRY: Pace = {
  bytes: 4 * 1024 * 1024,
  rows: 4_000,
  begin: () => undefined,
  rest: () => setImmediate(),
};

const MOST_TOGETHER = 100;

/** Reads one client to the end of all its files. */
export async function followClient(
  parts: FollowParts,
  client: SessionClient,
  pace: Pace,
): Promise<ClientState> {
  const known = new Map(
    (await parts.db.read((q) => filesOf(q, parts.own, client))).map((file) => [file.path, file]),
  );
  let error: string | null = null;
  const tell = (path: string) => (thrown: unknown) => {
    error = excerpt(`${path}: ${thrown instanceof UnreadableFile ? thrown.message : reasonOf(thrown)}`, 300);
  };
  const changed: Changed[] = [];
  for (const place of placesOf(client, parts.env))
    for await (const file of changedFiles(place, { known, pace, tell })) changed.push(file);
  let waiting: ReadSlice[] = [];
  /** Small files share a transaction: there may be tens of thousands of them. False: somebody else read one of them. */
  async function keepWaiting(): Promise<boolean> {
    const slices = waiting;
    waiting = [];
    const kept = await keepSlices(parts, slices, (path, thrown) => tell(path)(thrown));
    for (const file of kept) if (file) known.set(file.path, file);
    await pace.rest(pace.signal);
    return kept.every((file) => file !== undefined);
  }
  // Oldest first: what is newest gets the highest numbers.
  for (const { path, stats, place } of changed.toSorted((a, b) => a.stats - b.stats)) {
    if (pace.signal?.aborted) break;
    try {
      for (let isMore = true; isMore && !pace.signal?.aborted;) {
        const read = await readNext(parts, { place, path, pace, before: known.get(path), changedAt: stats });
        if (read) waiting.push(read);
        isMore = read?.hasMore === true;
        const bytes = waiting.reduce((sum, slice) => sum + slice.bytes, 0);
        if (isMore || bytes >= pace.bytes || waiting.length >= MOST_TOGETHER)
          isMore = (await keepWaiting()) && isMore;
      }
    } catch (thrown) {
      // One that vanished in between has nothing more to say.
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') tell(path)(thrown);
    }
  }
  if (waiting.length > 0) await keepWaiting();
  return stateOf(client, [...known.values()], error);
}

type Changed = Readonly<{ path: string; stats: number; place: SessionPlace }>;

type Looking = Readonly<{
  known: ReadonlyMap<string, StoredFile>;
  pace: Pace;
  tell: (path: string) => (thrown: unknown) => void;
}>;

/** Looking at a file that did not change costs as well. */
const LOOKED_AT = 200;

/** Those that look otherwise than when they were read. */
async function* changedFiles(place: SessionPlace, { known, pace, tell }: Looking): AsyncGenerator<Changed> {
  let looked = 0;
  for await (const path of listSessionFiles(place, tell(place.root))) {
    looked += 1;
    if (looked % LOOKED_AT === 0) await pace.rest(pace.signal);
    if (pace.signal?.aborted) return;
    const stats = await lstat(path).catch(() => undefined);
    if (!stats) continue;
    const before = known.get(path);
    const log = place.besides ? await lstat(place.besides(path)).catch(() => undefined) : undefined;
    const changedAt = Math.max(stats.mtimeMs, log?.mtimeMs ?? 0);
    const isSame =
      before !== undefined &&
      before.identity === `${stats.dev}:${stats.ino}` &&
      before.changedAt === changedAt &&
      (log !== undefined || before.size === stats.size);
    if (!isSame) yield { path, stats: changedAt, place };
  }
}

type Next = Readonly<{
  place: SessionPlace;
  path: string;
  pace: Pace;
  before: StoredFile | undefined;
  changedAt: number;
}>;

async function readNext(parts: FollowParts, next: Next): Promise<ReadSlice | undefined> {
  const { place, path, before } = next;
  if (place.form.kind !== 'lines') return readApart(next);
  const { read } = place.form;
  const state = before?.state ?? {};
  const slice = await readSlice({
    path,
    before,
    most: next.pace.bytes,
    wasInLongLine: (state as LongState).isInLongLine === true,
    isWhole: extname(path) === '.json',
  });
  if (!slice) return undefined;
  const name = basename(path).replace(/\.jsonl?$/, '');
  const start = slice.isFromStart ? await startState(parts, place, path) : state;
  const told = readLines(slice.lines, { read, state: start, name });
  const kept = { ...told, state: withLong(told.state, slice.isInLongLine) };
  const bytes = Math.max(0, slice.file.position - (slice.isFromStart ? 0 : (before?.position ?? 0)));
  const { file, hasMore, isFromStart: isAgain } = slice;
  return { ...next, client: place.client, told: kept, file, hasMore, isAgain, bytes };
}

type LongState = StoredFile['state'] & Readonly<{ isInLongLine?: boolean }>;

function withLong(state: LongState, isInLongLine: boolean): LongState {
  const { isInLongLine: _, ...rest } = state;
  return isInLongLine ? { ...rest, isInLongLine } : rest;
}

/**
 * Gemini says the folder of its sessions in a file beside them; earlier versions name theirs by a digest of it, which is
 * compared with the folders of other sessions.
 */
async function startState(
  { db, own }: FollowParts,
  { client }: SessionPlace,
  path: string,
): Promise<StoredFile['state']> {
  if (client !== 'gemini') return {};
  const beside = dirname(dirname(path));
  const told = await readFile(join(beside, '.project_root'), 'utf8').catch(() => '');
  const digest = basename(beside);
  const isDigest = told === '' && /^[0-9a-f]{64}$/.test(digest);
  const folder = isDigest
    ? (await db.read((q) => sessionFolders(q, own))).find((each) => sha256(each) === digest)
    : told.slice(0, 4096).trim();
  return folder === undefined || folder === '' ? {} : { folder };
}

/** A database, or a tree of files: what is read of it is known by its ids. */
async function readApart(next: Next): Promise<ReadSlice> {
  const { path, before, pace, changedAt } = next;
  const stats = await lstat(path);
  const user = process.getuid?.();
  if (!stats.isFile() || (user !== undefined && stats.uid !== user))
    throw new UnreadableFile('it belongs to another user');
  const identity = `${stats.dev}:${stats.ino}`;
  const isAgain = before?.identity !== identity;
  const told =
    next.place.form.kind === 'tree'
      ? await readTree(path)
      : readRows(path, isAgain ? {} : before.state, pace.rows);
  const isWhole = isAgain || next.place.form.kind === 'tree';
  const position = (isWhole ? 0 : before.position) + told.lines;
  const file = { identity, position, size: stats.size, changedAt, digest: '' };
  // As much as it wanted to have at once.
  const bytes = pace.bytes;
  return { ...next, client: next.place.client, told, file, hasMore: told.hasMore, isAgain: isWhole, bytes };
}

const FEW_LINES = 20;
const NEWEST = 20;

/** A fifth of what the newest files say is not understood, or nothing of it is a turn. */
function stateOf(client: SessionClient, files: readonly StoredFile[], error: string | null): ClientState {
  const sum = (of: (file: StoredFile) => number, among = files) =>
    among.reduce((total, file) => total + of(file), 0);
  const newest = files.toSorted((a, b) => b.changedAt - a.changedAt).slice(0, NEWEST);
  const hasMoved = [newest, newest.slice(0, 1)].some((some) => {
    const [lines, unknown, turns] = [
      sum((f) => f.lines, some),
      sum((f) => f.unknown, some),
      sum((f) => f.turns, some),
    ];
    return (unknown >= 3 && unknown * 5 > lines) || (lines >= FEW_LINES && turns === 0);
  });
  return {
    client,
    files: files.length,
    turns: sum((file) => file.turns),
    unknown: sum((file) => file.unknown),
    format: hasMoved ? 'moved' : 'known',
    error,
  };
}

export { stateOf as clientStateOf };
