import { randomBytes } from 'node:crypto';
import { constants, lstatSync } from 'node:fs';
import { link, lstat, mkdir, open, readFile, realpath, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HubError } from '../../../kernel/errors.ts';
import { reasonOf } from '../../../kernel/file-faults.ts';
import { dropDrafts, ifAllowed, readFolder, scanFiles, type ScannedFile, stampOf } from './scan.ts';

/**
 * The vault's folder. Paths are relative to it, with forward slashes. A file is replaced whole or not at all: temp file,
 * fsync, rename or link, fsync of the folder. What is made here is its owner's alone; what a person made keeps its mode. Symbolic links are never followed, so nothing here reaches outside.
 */
export interface VaultFiles {
  readonly root: string;
  /** Changes when the file does; undefined when there is none, or a folder instead. */
  stamp(path: string): string | undefined;
  /** Null when there is none. */
  read(path: string): Promise<FileText | null>;
  /** Fails with `conflict` when something is there already. */
  create(path: string, text: string): Promise<void>;
  replace(path: string, text: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Removes what a crash left half written beside a file. */
  dropDrafts(path: string): Promise<void>;
  /** The names in a folder; none when there is no such folder. */
  list(folder: string): Promise<string[]>;
  /** Every markdown file where memories lie, with a stamp that changes when the file does. */
  scan(): Promise<ScannedFile[]>;
}

export type FileText = Readonly<{ text: string; stamp: string; modifiedAt: number }>;

const MAX_FILE = 4 * 1024 * 1024;

export async function openFiles(folder: string): Promise<VaultFiles> {
  await translate(folder, () => mkdir(folder, { recursive: true, mode: 0o700 }));
  const root = await realpath(folder);

  /** The file's place on disk, once no folder on the way there is a link. */
  async function locate(path: string): Promise<string> {
    const parts = path.split('/');
    if (
      parts.some(
        (part) => part === '' || part === '.' || part === '..' || part.includes('\\') || part.includes('\0'),
      )
    ) {
      throw outside(path);
    }
    const target = join(root, ...parts);
    const { folder: existing, real } = await nearestFolder(dirname(target));
    if (sameName(existing) !== sameName(real)) throw outside(path);
    return target;
  }

  async function draft(
    path: string,
    text: string,
    mode?: number,
  ): Promise<Readonly<{ target: string; temp: string }>> {
    let target = await locate(path);
    await makeFolder(dirname(target));
    target = await locate(path);
    const temp = join(dirname(target), `.${randomBytes(8).toString('hex')}.tmp`);
    const file = await open(temp, 'wx', 0o600);
    try {
      if (mode !== undefined) await file.chmod(mode);
      await file.writeFile(text, 'utf8');
      await file.sync();
    } catch (error) {
      await unlink(temp);
      throw error;
    } finally {
      await file.close();
    }
    return { target, temp };
  }

  /** What is replaced stays as private as its owner made it. */
  async function modeOf(path: string): Promise<number | undefined> {
    const stat = lstatSync(await locate(path), { throwIfNoEntry: false });
    return stat && stat.mode & 0o777;
  }

  /** A new folder is made durable in the folder above it. */
  async function makeFolder(folder: string): Promise<void> {
    const first = await mkdir(folder, { recursive: true, mode: 0o700 });
    for (let made = folder; first !== undefined && made.length >= first.length; made = dirname(made))
      await syncFolder(dirname(made));
  }

  return {
    root,
    stamp(path) {
      const stat = ifAllowed(() => lstatSync(join(root, path), { bigint: true, throwIfNoEntry: false }));
      return stat && !stat.isDirectory() ? stampOf(stat) : undefined;
    },
    read: (path) => translate(path, async () => readText(await locate(path)), 'read'),
    create: (path, text) =>
      translate(path, async () => {
        const { target, temp } = await draft(path, text);
        try {
          await linkOnce(temp, target, path);
        } finally {
          await unlink(temp);
        }
        await syncFolder(dirname(target));
      }),
    replace: (path, text) =>
      translate(path, async () => {
        const { target, temp } = await draft(path, text, await modeOf(path));
        await rename(temp, target).catch(async (error: unknown) => {
          await unlink(temp);
          throw error;
        });
        await syncFolder(dirname(target));
      }),
    remove: (path) =>
      translate(path, async () => {
        const target = await locate(path);
        await unlink(target);
        await syncFolder(dirname(target));
      }),
    dropDrafts: (path) => translate(path, async () => dropDrafts(dirname(await locate(path)), 0)),
    list: (path) => translate(path, async () => readFolder(await locate(path)).map(({ name }) => name)),
    scan: () => translate(folder, () => scanFiles(root), 'read'),
  };
}

/** The folder, or the nearest one above it that is there, and where that really is. */
async function nearestFolder(folder: string): Promise<Readonly<{ folder: string; real: string }>> {
  try {
    return { folder, real: await realpath(folder) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return nearestFolder(dirname(folder));
  }
}

/** Some file systems know a folder by other capitals and another composition of its letters as well. */
function sameName(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

async function linkOnce(temp: string, target: string, path: string): Promise<void> {
  try {
    await link(temp, target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new HubError('conflict', `There is a file at ${path} already.`, { path }).because(error);
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    // File systems without hard links: exclusive creation, at the price of atomicity in a crash, which the journal heals.
    await writeFile(target, await readFile(temp), { flag: 'wx', flush: true, mode: 0o600 });
  }
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readText(target: string): Promise<FileText | null> {
  const found = await lstat(target, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (found === null) return null;
  if (!found.isFile())
    throw new HubError(
      'forbidden',
      found.isDirectory()
        ? 'This is a folder, not a file that can be read.'
        : 'This is a link, not a file of the vault; links are not followed.',
    );
  if (found.size > MAX_FILE) throw new HubError('too_large', `The file has more than ${MAX_FILE} bytes.`);
  const file = await open(target, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const bytes = await file.readFile();
    const stat = await file.stat({ bigint: true });
    return { text: decode(bytes), stamp: stampOf(stat), modifiedAt: Number(stat.mtimeMs) };
  } finally {
    await file.close();
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new HubError('invalid', 'The file is not UTF-8 text.').because(error);
  }
}

const READ_ONLY = new Set(['EROFS', 'EACCES', 'EPERM']);

/** What the disk says, in words a caller can act on. */
async function translate<T>(
  path: string,
  work: () => Promise<T>,
  what: 'written' | 'read' = 'written',
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HubError) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    if (READ_ONLY.has(code) && what === 'read')
      throw new HubError('forbidden', `This cannot be read (${reasonOf(error)}).`, { path }).because(error);
    if (READ_ONLY.has(code)) {
      throw new HubError('forbidden', `The vault cannot be written (${reasonOf(error)}).`, {
        path,
        hint: 'Make the vault folder writable for the hub.',
      }).because(error);
    }
    throw new HubError('unavailable', `The vault's file ${path} cannot be used (${reasonOf(error)}).`, {
      path,
    }).because(error);
  }
}

function outside(path: string): HubError {
  return new HubError('forbidden', `${path} leads out of the vault.`, { path });
}
