/**
 * Reads what clients have written since the last time. A slice and the position after it are one transaction, so killed at any
 * moment nothing is read twice and nothing is left out. In the background every slice is followed by nine times as long a rest;
 * `sync` does not rest.
 */
import { lstat, readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Environment } from '../../../kernel/config.ts';
import { reasonOf } from '../../../kernel/file-faults.ts';
import type { Log } from '../../../kernel/log.ts';
import { systemActor } from '../../../kernel/principal.ts';
import { excerpt } from '../../../kernel/redact.ts';
import type { Database } from '../../../store/database.ts';
import type { Owner } from '../owner.ts';
import { filesOf, moveFile } from '../rows/files.ts';
import type { StoredFile } from '../rows/tables.ts';
import type { ClientState } from '../session.ts';
import type { SessionClient, SessionSettings } from '../settings.ts';
import { type NewPart, keepPart } from './keep.ts';
import { readRows } from './opencode-rows.ts';
import { listSessionFiles, type SessionPlace, placeOf } from './places.ts';
import { readLines, type ToldLines } from './read-lines.ts';
import { shapeTurn } from './shape.ts';
import { readSlice, type Slice, UnreadableFile } from './slice.ts';
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
  /** Between slices; `busyMs` is how long the last one took. The signal ends a rest, too. */
  rest(busyMs: number, signal: AbortSignal | undefined): Promise<void>;
  signal?: AbortSignal | undefined;
}>;

export const HURRY: Pace = { bytes: 2 * 1024 * 1024, rows: 2_000, rest: () => setImmediate() };

type Kept = { -readonly [Field in keyof StoredFile]: StoredFile[Field] };

/** Reads one client to the end of all its files. */
export async function followClient(
  parts: FollowParts,
  client: SessionClient,
  pace: Pace,
): Promise<ClientState> {
  const place = placeOf(client, parts.env);
  const known = new Map(
    (await parts.db.read((q) => filesOf(q, parts.own, client))).map((file) => [file.path, file]),
  );
  let error: string | null = null;
  const tell = (path: string) => (thrown: unknown) => {
    error = excerpt(`${path}: ${thrown instanceof UnreadableFile ? thrown.message : reasonOf(thrown)}`, 300);
  };
  for (const { path, stats } of await changedFiles(place, known, tell)) {
    if (pace.signal?.aborted) break;
    try {
      for (let isMore = true; isMore && !pace.signal?.aborted;) {
        const begun = performance.now();
        const read = await readNext(parts, { place, path, pace, before: known.get(path), changedAt: stats });
        if (read?.file) known.set(path, read.file);
        isMore = read?.hasMore === true;
        await pace.rest(performance.now() - begun, pace.signal);
      }
    } catch (thrown) {
      // One that vanished in between has nothing more to say.
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') tell(path)(thrown);
    }
  }
  return stateOf(client, [...known.values()], error);
}

type Changed = Readonly<{ path: string; stats: number }>;

/** Those that look otherwise than when they were read, oldest first: what is newest gets the highest numbers. */
async function changedFiles(
  place: SessionPlace,
  known: ReadonlyMap<string, StoredFile>,
  tell: (path: string) => (thrown: unknown) => void,
): Promise<readonly Changed[]> {
  const changed: Changed[] = [];
  for await (const path of listSessionFiles(place, tell(place.root))) {
    const stats = await lstat(path).catch(() => undefined);
    if (!stats) continue;
    const before = known.get(path);
    const log = place.read === undefined ? await lstat(`${path}-wal`).catch(() => undefined) : undefined;
    const changedAt = Math.max(stats.mtimeMs, log?.mtimeMs ?? 0);
    const isSame =
      before !== undefined &&
      before.identity === `${stats.dev}:${stats.ino}` &&
      before.changedAt === changedAt &&
      (log !== undefined || before.size === stats.size);
    if (!isSame) changed.push({ path, stats: changedAt });
  }
  return changed.toSorted((a, b) => a.stats - b.stats);
}

type Next = Readonly<{
  place: SessionPlace;
  path: string;
  pace: Pace;
  before: StoredFile | undefined;
  changedAt: number;
}>;

async function readNext(
  parts: FollowParts,
  next: Next,
): Promise<Readonly<{ file: StoredFile | undefined; hasMore: boolean }> | undefined> {
  const { place, path, before } = next;
  if (place.read === undefined) return readDatabase(parts, next);
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
  const start = slice.isFromStart ? await startState(place, path) : state;
  const told = readLines(slice.lines, { read: place.read, state: start, name });
  const kept = { ...told, state: withLong(told.state, slice.isInLongLine) };
  return keep(parts, {
    next,
    told: kept,
    file: slice.file,
    hasMore: slice.hasMore,
    isAgain: slice.isFromStart,
  });
}

type LongState = StoredFile['state'] & Readonly<{ isInLongLine?: boolean }>;

function withLong(state: LongState, isInLongLine: boolean): LongState {
  const { isInLongLine: _, ...rest } = state;
  return isInLongLine ? { ...rest, isInLongLine } : rest;
}

/** Gemini says the folder of its sessions in a file beside them. */
async function startState({ client }: SessionPlace, path: string): Promise<StoredFile['state']> {
  if (client !== 'gemini') return {};
  const told = await readFile(join(dirname(dirname(path)), '.project_root'), 'utf8').catch(() => '');
  const folder = told.slice(0, 4096).trim();
  return folder === '' ? {} : { folder };
}

async function readDatabase(
  parts: FollowParts,
  next: Next,
): Promise<Readonly<{ file: StoredFile | undefined; hasMore: boolean }>> {
  const { path, before, pace, changedAt } = next;
  const stats = await lstat(path);
  const user = process.getuid?.();
  if (!stats.isFile() || (user !== undefined && stats.uid !== user))
    throw new UnreadableFile('it belongs to another user');
  const identity = `${stats.dev}:${stats.ino}`;
  const isAgain = before?.identity !== identity;
  const told = readRows(path, isAgain ? {} : before.state, pace.rows);
  const position = (isAgain ? 0 : before.position) + told.lines;
  const file = { identity, position, size: stats.size, changedAt, digest: '' };
  return keep(parts, { next, told, file, hasMore: told.hasMore, isAgain });
}

type Keeping = Readonly<{
  next: Next;
  told: ToldLines;
  file: Slice['file'];
  hasMore: boolean;
  isAgain: boolean;
}>;

async function keep(
  { db, own, settings, locate }: FollowParts,
  { next, told, file, hasMore, isAgain }: Keeping,
): Promise<Readonly<{ file: StoredFile | undefined; hasMore: boolean }>> {
  const { client } = next.place;
  const news: NewPart[] = [];
  for (const [clientId, { facts, turns }] of told.sessions) {
    const where = await locate.of(facts.folder ?? told.state.folder);
    if (!where) continue;
    const known = { folder: told.state.folder, ...facts };
    const shaped = turns.map((turn) => shapeTurn(turn, { own, client, resultBytes: settings.resultBytes }));
    news.push({
      own,
      client,
      clientId: nameOf(clientId),
      facts: known,
      where,
      turns: shaped,
      at: Math.floor(next.changedAt),
    });
  }
  const { before } = next;
  const counted = isAgain
    ? { lines: 0, unknown: 0 }
    : { lines: before?.lines ?? 0, unknown: before?.unknown ?? 0 };
  const kept = await db.writeSoon(systemActor, async (tx) => {
    const row: Kept = {
      ...own,
      client,
      path: next.path,
      ...file,
      // Only at its end is a file read as it was when it was looked at: killed before, it is looked at again.
      changedAt: hasMore ? 0 : file.changedAt,
      state: told.state,
      lines: counted.lines + told.lines,
      unknown: counted.unknown + told.unknown,
      turns: before?.turns ?? 0,
      version: told.version ?? before?.version ?? null,
      error: null,
      seenAt: tx.now,
    };
    if (!(await moveFile(tx, before, row))) return undefined;
    for (const part of news) row.turns += await keepPart(tx, part);
    if (news.length > 0) await moveFile(tx, row, row);
    return row;
  });
  // Somebody else was faster: what they read is there, and the next look goes on from it.
  return { file: kept, hasMore: hasMore && kept !== undefined };
}

const nameOf = (clientId: string): string => clientId.replaceAll('\0', '').toWellFormed().slice(0, 200);

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
