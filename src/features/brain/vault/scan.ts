import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sha256 } from '../../../kernel/digest.ts';

/** Looking over the vault's folder: one stat per file, and no text. */
export type ScannedFile = Readonly<{ path: string; stamp: string }>;

/** Deeper than any memory lies, and short enough for every index: what lies below is told, and not looked at. */
const LONGEST_PATH = 1_000;
export const TOO_LONG = 'too long';

const SHELVES = ['entities', 'episodes'];
const AT_ONCE = 500;
const DRAFT = /^\.[0-9a-f]{16}\.tmp$/;
const OLD_DRAFT_MS = 10 * 60_000;

/** Synchronous stats are several times quicker; every few hundred the event loop gets its turn. */
export async function scanFiles(root: string): Promise<ScannedFile[]> {
  const found: ScannedFile[] = [];
  const walk = async (folder: string): Promise<void> => {
    const entries = ifAllowed(() => readFolder(join(root, folder)));
    // Told like a file that cannot be read, instead of keeping the whole vault shut.
    if (!entries) return void found.push({ path: folder, stamp: 'closed' });
    dropDrafts(join(root, folder), OLD_DRAFT_MS, entries);
    for (const entry of entries) {
      const path = `${folder}/${entry.name}`;
      if (entry.name.startsWith('.')) continue;
      if (Buffer.byteLength(path) > LONGEST_PATH) {
        found.push({ path: shortened(path), stamp: TOO_LONG });
        continue;
      }
      if (entry.isDirectory()) {
        await walk(path);
        continue;
      }
      if (!/\.md$/i.test(entry.name)) continue;
      const stat = lstatSync(join(root, path), { bigint: true, throwIfNoEntry: false });
      if (!stat) continue;
      found.push({ path, stamp: stampOf(stat) });
      if (found.length % AT_ONCE === 0) await nextTurn();
    }
  };
  dropDrafts(root, OLD_DRAFT_MS);
  for (const shelf of SHELVES) await walk(shelf);
  return found;
}

/** Told apart by what is left out. */
function shortened(path: string): string {
  return `${path.slice(0, 200).toWellFormed()}… (${sha256(path).slice(0, 12)})`;
}

/** What a process that died left of files it had not finished. Another one may be writing right now, so mostly only old ones go. */
export function dropDrafts(folder: string, olderThanMs: number, entries = readFolder(folder)): void {
  for (const { name } of entries) {
    if (!DRAFT.test(name)) continue;
    const target = join(folder, name);
    const stat = lstatSync(target, { throwIfNoEntry: false });
    // A file tells fractions of a millisecond, which the clock does not.
    if (stat && Date.now() - Math.floor(stat.mtimeMs) >= olderThanMs)
      ifAllowed(() => rmSync(target, { force: true }));
  }
}

const DENIED = new Set(['EACCES', 'EPERM', 'EROFS']);

/** Undefined when the file system does not let us. */
export function ifAllowed<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (DENIED.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

export function readFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

/** The time of change, not of modification: an editor can set the latter, and permissions do not show in it. */
export function stampOf({
  ctimeNs,
  size,
  ino,
}: Readonly<{ ctimeNs: bigint; size: bigint; ino: bigint }>): string {
  return `${ctimeNs}:${size}:${ino}`;
}
