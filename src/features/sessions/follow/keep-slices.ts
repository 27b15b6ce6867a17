// What was read of several files becomes rows and positions in one transaction. Each file is judged for itself in it: whoever read the same
// slice at the same time loses that one alone.
import { systemActor } from '../../../kernel/principal.ts';
import type { Database, Tx } from '../../../store/database.ts';
import type { Owner } from '../owner.ts';
import { moveFile } from '../rows/files.ts';
import type { StoredFile } from '../rows/tables.ts';
import type { SessionClient, SessionSettings } from '../settings.ts';
import { keepPart, type NewPart } from './keep.ts';
import type { ToldLines } from './read-lines.ts';
import { shapeTurn } from './shape.ts';
import type { Slice } from './slice.ts';
import type { Locate } from './whereabouts.ts';

export type ReadSlice = Readonly<{
  client: SessionClient;
  path: string;
  before: StoredFile | undefined;
  changedAt: number;
  told: ToldLines;
  file: Slice['file'];
  hasMore: boolean;
  /** Read from the start: what was counted before counts no more. */
  isAgain: boolean;
  bytes: number;
}>;

type KeepingParts = Readonly<{ db: Database; own: Owner; settings: SessionSettings; locate: Locate }>;
type Kept = { -readonly [Field in keyof StoredFile]: StoredFile[Field] };
type ShapedSlice = Readonly<{ slice: ReadSlice; news: readonly NewPart[] }>;

/** The rows of the files as they stand now; undefined: somebody else was faster, and the next look goes on from there. */
export async function keepSlices(
  parts: KeepingParts,
  slices: readonly ReadSlice[],
  tell: (path: string, thrown: unknown) => void,
): Promise<(StoredFile | undefined)[]> {
  const shaped: ShapedSlice[] = [];
  for (const slice of slices) shaped.push({ slice, news: await newsOf(parts, slice) });
  const keep = (some: readonly ShapedSlice[]) =>
    parts.db.writeSoon(systemActor, async (tx) => {
      const kept: (StoredFile | undefined)[] = [];
      for (const each of some) kept.push(await keepOne(tx, parts.own, each));
      return kept;
    });
  try {
    return await keep(shaped);
  } catch (thrown) {
    if (shaped.length === 1) tell(slices[0]!.path, thrown);
    if (shaped.length <= 1) return [undefined];
  }
  // One that cannot be kept must not keep the others out.
  const kept: (StoredFile | undefined)[] = [];
  for (const each of shaped) {
    try {
      kept.push(...(await keep([each])));
    } catch (thrown) {
      tell(each.slice.path, thrown);
      kept.push(undefined);
    }
  }
  return kept;
}

async function newsOf(
  { own, settings, locate }: KeepingParts,
  { client, told, changedAt }: ReadSlice,
): Promise<readonly NewPart[]> {
  const news: NewPart[] = [];
  for (const [clientId, { facts, turns }] of told.sessions) {
    const where = await locate.of(facts.folder ?? told.state.folder);
    if (!where) continue;
    const known = { folder: told.state.folder, ...facts };
    const shaped = turns.map((turn) => shapeTurn(turn, { own, client, resultBytes: settings.resultBytes }));
    const at = Math.floor(changedAt);
    news.push({ own, client, clientId: nameOf(clientId), facts: known, where, turns: shaped, at });
  }
  return news;
}

async function keepOne(tx: Tx, own: Owner, { slice, news }: ShapedSlice): Promise<StoredFile | undefined> {
  const { client, path, before, told, file, hasMore, isAgain } = slice;
  const counted = isAgain
    ? { lines: 0, unknown: 0 }
    : { lines: before?.lines ?? 0, unknown: before?.unknown ?? 0 };
  const row: Kept = {
    ...own,
    client,
    path,
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
}

const nameOf = (clientId: string): string => clientId.replaceAll('\0', '').toWellFormed().slice(0, 200);
