// What lies in the folder of a vault, taken over into its index. The files are the truth.
import { systemActor } from '../../../kernel/principal.ts';
import type { Database } from '../../../store/database.ts';
import { indexedAt, listIndexed, listProblems, setStamp } from '../rows/memories.ts';
import type { Strategy } from '../strategy.ts';
import { type Document, readDocument } from './document.ts';
import type { VaultFiles } from './files.ts';
import { indexDocuments, type VaultIdentity } from './index-documents.ts';
import type { Hold } from './lease.ts';
import { TOO_LONG } from './scan.ts';

export type ReconcileParts = Readonly<{
  db: Database;
  files: VaultFiles;
  vault: VaultIdentity;
  strategy(): Promise<Strategy>;
  closing: AbortSignal;
}>;

export type FileDifference = Readonly<{ path: string; stamp: string }>;

/** Documents per transaction: enough to be quick, few enough not to keep other writers waiting. */
const BATCH = 64;
/** Files read at once. */
const READERS = 16;

/** What lies in the folder and is not what the index knows. Stamps decide, so an unchanged vault costs one stat per file. */
export async function findDifferences({ db, files, vault }: ReconcileParts): Promise<FileDifference[]> {
  const scanned = await files.scan();
  const known = await db.read(async (q) => [
    ...(await listIndexed(q, vault.id)),
    ...(await listProblems(q, vault.id)),
  ]);
  const stamps = new Map(known.map(({ path, stamp }) => [path, stamp]));
  const changed = scanned.filter(({ path, stamp }) => stamps.get(path) !== stamp);
  const present = new Set(scanned.map(({ path }) => path));
  const gone = [...stamps.keys()].filter((path) => !present.has(path)).map((path) => ({ path, stamp: '' }));
  return [...changed, ...gone];
}

/** Do these files differ from what the index knows? Our own writes are told like all others, and do not. */
export async function isChanged(
  { db, files, vault }: ReconcileParts,
  paths: ReadonlySet<string>,
): Promise<boolean> {
  const known = await db.read(async (q) => {
    const stamps: (string | undefined)[] = [];
    for (const path of paths) stamps.push((await indexedAt(q, vault.id, path))?.stamp);
    return stamps;
  });
  return [...paths].some((path, i) => files.stamp(path) !== known[i]);
}

/** Takes over edits, moves and deletions made by hand. Answers how many files differed. */
export async function reconcile(parts: ReconcileParts, hold: Hold): Promise<number> {
  const differences = await findDifferences(parts);
  if (differences.length === 0) return 0;
  const strategy = await parts.strategy();
  const documents: Document[] = [];
  for (let start = 0; start < differences.length; start += READERS) {
    const some = differences.slice(start, start + READERS);
    documents.push(...(await Promise.all(some.map((difference) => readDifference(parts, difference)))));
  }
  const kept = new Set(
    documents.flatMap((document) => (document.kind === 'memory' ? [document.memory.id] : [])),
  );
  // What is gone goes first, so that a file that moved finds its id free.
  const ordered = documents.toSorted((a, b) => Number(b.kind === 'gone') - Number(a.kind === 'gone'));
  for (let start = 0; start < ordered.length && !parts.closing.aborted; start += BATCH) {
    await indexBatch(parts, hold, { batch: ordered.slice(start, start + BATCH), kept, strategy });
  }
  return differences.length;
}

async function readDifference(
  { db, files }: ReconcileParts,
  { path, stamp }: FileDifference,
): Promise<Document> {
  if (stamp === TOO_LONG) return { kind: 'problem', path, stamp, reason: 'its path is too long' };
  return stamp === '' && files.stamp(path) === undefined
    ? { kind: 'gone', path }
    : readDocument(files, { path, stamp }, db.now());
}

type Batch = Readonly<{ batch: readonly Document[]; kept: ReadonlySet<string>; strategy: Strategy }>;

async function indexBatch(
  { db, vault }: ReconcileParts,
  hold: Hold,
  { batch, kept, strategy }: Batch,
): Promise<void> {
  await db.write(systemActor, async (tx) => {
    await hold.prove(tx);
    const documents: Document[] = [];
    for (const document of batch) {
      const known = document.kind === 'memory' ? await indexedAt(tx, vault.id, document.path) : undefined;
      const isTouched = document.kind === 'memory' && known?.hash === document.hash;
      if (isTouched) await setStamp(tx, vault.id, document);
      else documents.push(document);
    }
    if (documents.length > 0) await indexDocuments(tx, { vault, documents, strategy, kept });
  });
}
