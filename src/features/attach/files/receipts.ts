import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { sha256 } from '../../../kernel/digest.ts';
import { ensurePrivateFolder } from '../../../kernel/home.ts';
import { replaceFile } from '../../../kernel/replace-file.ts';
import type { Undo } from './settings-text.ts';

/** What was done to a client's file, kept in the home so that it can be undone exactly. */
export type Receipt = Readonly<{
  file: string;
  /** What was put there: the name of the target. */
  name?: string | undefined;
  /** When, so that the last change is taken back first. */
  at?: number | undefined;
  /** Of the file as we left it. */
  digest: string;
  createdFile: boolean;
  /** The uppermost of the folders that came with the file. */
  createdFolder?: string | undefined;
  undo: Undo;
  /** A copy of the file as it was before us. */
  backup?: string | undefined;
}>;

type Keeper = Readonly<{ home: string; name: string; file: string }>;

export function readReceipt(keeper: Keeper): Receipt | undefined {
  const text = readText(receiptPath(keeper));
  return text === undefined ? undefined : (JSON.parse(text) as Receipt);
}

export function saveReceipt(keeper: Keeper, receipt: Receipt): void {
  const path = receiptPath(keeper);
  ensurePrivateFolder(dirname(path));
  replaceFile(path, `${JSON.stringify(receipt)}\n`);
}

/** Everything that was put anywhere and has not been taken back, the last first. */
export function allReceipts(home: string): (Receipt & Readonly<{ name: string }>)[] {
  return readAll(home)
    .map(({ path, receipt }) => ({ ...receipt, name: receipt.name ?? basename(path, '.json') }))
    .toSorted((one, other) => (other.at ?? 0) - (one.at ?? 0));
}

/** What came with this entry and is still used by another of ours leaves with that one. */
export function dropReceipt(keeper: Keeper): void {
  const dropped = readReceipt(keeper);
  rmSync(receiptPath(keeper), { force: true });
  if (!dropped) return;
  for (const { path, receipt } of readAll(keeper.home)) {
    if (receipt.file !== dropped.file) continue;
    const { kept, hollow } = dropped.undo;
    const undo =
      kept === undefined
        ? receipt.undo
        : {
            ...receipt.undo,
            kept: Math.min(kept, receipt.undo.kept ?? kept),
            ...(hollow !== undefined && kept <= (receipt.undo.kept ?? kept) && { hollow }),
          };
    const createdFolder = receipt.createdFolder ?? dropped.createdFolder;
    const createdFile = receipt.createdFile || dropped.createdFile;
    replaceFile(path, `${JSON.stringify({ ...receipt, createdFile, createdFolder, undo })}\n`);
  }
}

function readAll(home: string): Readonly<{ path: string; receipt: Receipt }>[] {
  const folder = join(home, 'connections');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, name))
    .map((path) => ({ path, receipt: JSON.parse(readFileSync(path, 'utf8')) as Receipt }));
}

/** A client's settings may hold its secrets, so the copy is the owner's alone. */
export function keepCopy(text: string, { home, name, file }: Keeper, now: Date): string {
  const folder = join(home, 'backups');
  ensurePrivateFolder(folder);
  const stamp = now
    .toISOString()
    .replace(/[^0-9]/g, '')
    .slice(0, 17);
  // Two changes within a millisecond are two copies: the first one is what somebody wants back.
  for (let copy = 1; ; copy += 1) {
    const path = join(folder, `${name}-${stamp}${copy === 1 ? '' : `-${copy}`}-${basename(file)}`);
    if (existsSync(path)) continue;
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
    return path;
  }
}

export function readText(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** Answers the uppermost folder that had to be made for a file. */
export function makeFolderOf(path: string): string | undefined {
  return mkdirSync(dirname(path), { recursive: true });
}

/** Whole or not at all, through links to where the file really lies, and with the mode it had. */
export function writeText(path: string, text: string): void {
  const real = existsSync(path) ? realpathSync(path) : path;
  const mode = existsSync(real) ? statSync(real).mode & 0o777 : 0o600;
  replaceFile(real, text, mode);
}

export function removeFile(path: string, createdFolder: string | undefined): void {
  rmSync(path, { force: true });
  removeFolders(path, createdFolder);
}

/** The folders that came with a file go with it, unless somebody has put something else into them. */
export function removeFolders(path: string, createdFolder: string | undefined): void {
  for (
    let folder = dirname(path);
    createdFolder !== undefined && isWithin(folder, createdFolder);
    folder = dirname(folder)
  ) {
    if (!existsSync(folder)) continue;
    if (readdirSync(folder).length > 0) return;
    rmdirSync(folder);
  }
}

function isWithin(folder: string, top: string): boolean {
  return folder === top || folder.startsWith(`${top}${sep}`);
}

export function digestOf(text: string): string {
  return sha256(text);
}

/** By what was put; the same thing in a second file has the file in its name. */
function receiptPath({ home, name, file }: Keeper): string {
  const plain = join(home, 'connections', `${name}.json`);
  const apart = join(home, 'connections', `${name}-${sha256(file).slice(0, 12)}.json`);
  if (existsSync(apart)) return apart;
  const text = readText(plain);
  return text === undefined || (JSON.parse(text) as Receipt).file === file ? plain : apart;
}
