import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { HubError } from './errors.ts';
import { redact } from './redact.ts';
import { reasonOf } from './file-faults.ts';
import { isInside } from './folders.ts';

/**
 * The one folder that file and shell tools may work in. A path is judged where it really leads: symbolic
 * links are followed first, and an opened file is asked once more where it is, so that a link swapped in
 * between is noticed.
 */
export interface Workspace {
  readonly root: string;
  /** Folders in it that no tool enters, relative to it. */
  readonly closed: ReadonlySet<string>;
  /**
   * The one locator: what tools open, rules match, grants cover and inspectors read is what this answers. The
   * real path behind what the caller wrote; the last part need not exist, everything before it is checked.
   * `judged` is where it led when the call was judged: a path that leads elsewhere by now is refused.
   */
  locate(path: string, cwd?: string, judged?: string): Promise<Located>;
  /** The same for an entry itself, where that is a link: its folder is resolved, its last part is not. */
  locateEntry(path: string, judged?: string): Promise<Located>;
  /** Refuses a place that is closed, or that has a closed folder below it: moving it would move that, too. */
  requireMovable(place: Located): void;
  /** Opens for reading, and checks the file itself, not the path that led to it. */
  openFile(place: Located): Promise<FileHandle>;
  /**
   * A folder that cannot be swapped while `work` runs: paths under `base` lead into the checked folder
   * itself.
   */
  inFolder<T>(path: string, work: (base: string) => Promise<T>): Promise<T>;
  /** Makes the folder and its parents, one checked step at a time. */
  makeFolder(path: string): Promise<void>;
  /** The folder of one deletion, made where it is missing: the only way into the trash, which is closed to every tool. */
  inTrash<T>(id: string, work: (base: string) => Promise<T>): Promise<T>;
}

/** What was deleted lies here, in the workspace itself so that moving it is one step. */
export const TRASH = '.holdfast-trash';

/** In a folder of our own, so that no file of the repository has to know of it. */
const UNSEEN_BY_GIT = '# What delete_path took away; restore_path brings it back.\n*\n';

export type Located = Readonly<{
  /** Absolute, with all links resolved except the last part. */
  path: string;
  /** As shown to the caller, relative to the workspace and with forward slashes. */
  name: string;
}>;

export type WorkspaceOptions = Readonly<{
  root: string;
  /** Folders that stay closed even inside it: the hub's own home. */
  closed?: readonly string[];
  /** What to tell a caller whose path leads outside. */
  hint?: string;
}>;

const ON_LINUX = process.platform === 'linux';

export async function openWorkspace({
  root: given,
  closed: givenClosed = [],
  hint,
}: WorkspaceOptions): Promise<Workspace> {
  const root = await realpath(given).catch((error: unknown) => {
    throw new HubError('invalid', `The workspace ${given} cannot be opened.`, {
      hint: 'Make the folder, or set another workspace.',
    }).because(error);
  });
  if (!(await stat(root)).isDirectory())
    throw new HubError('invalid', `The workspace ${given} is not a folder.`);
  const closed = await Promise.all(givenClosed.map((path) => realpath(path).catch(() => resolve(path))));

  const trash = join(root, TRASH);

  function judge(real: string, shown: string): void {
    judgeBut(real, shown);
    if (isInside(trash, real)) throw trashed(shown);
  }

  /** Everything but the trash. */
  function judgeBut(real: string, shown: string): void {
    if (!isInside(root, real)) throw outside(shown, hint);
    if (closed.some((folder) => isInside(folder, real))) throw outside(shown);
  }

  async function locate(path: string, cwd?: string, judged?: string): Promise<Located> {
    refuseNameless(path);
    const start = cwd === undefined ? root : (await locate(cwd)).path;
    const wanted = isAbsolute(path) ? resolve(path) : resolve(start, path);
    const real = await resolveLinks(wanted);
    judge(real, path);
    return asJudged({ path: real, name: nameBelow(root, real) }, judged);
  }

  async function locateEntry(path: string, judged?: string): Promise<Located> {
    refuseNameless(path);
    const wanted = resolve(root, path);
    if (wanted === root || dirname(wanted) === wanted) return locate(path, undefined, judged);
    const folder = await resolveLinks(dirname(wanted));
    const real = join(folder, basename(wanted));
    judge(folder, path);
    judge(real, path);
    return asJudged({ path: real, name: nameBelow(root, real) }, judged);
  }

  async function verifyHandle(handle: FileHandle, path: string, shown: string): Promise<void> {
    const real = ON_LINUX ? await readlink(`/proc/self/fd/${handle.fd}`) : await sameFile(handle, path);
    judgeBut(real, shown);
    // What was replaced by a rename while it was being opened is still the file that was meant.
    if (real !== path && real !== `${path} (deleted)`) throw moved(shown);
  }

  async function within<T>(path: string, work: (base: string) => Promise<T>): Promise<T> {
    const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(
      (error: unknown) => {
        throw explain(error, nameBelow(root, path));
      },
    );
    try {
      await verifyHandle(handle, path, nameBelow(root, path));
      return await work(ON_LINUX ? `/proc/self/fd/${handle.fd}` : path);
    } finally {
      await handle.close();
    }
  }

  const isWithin = (folder: string) => isInside(root, folder);
  const workspace: Workspace = {
    root,
    closed: new Set([...closed.filter(isWithin), trash].map((folder) => nameBelow(root, folder))),
    locate,
    locateEntry,
    requireMovable({ path, name }) {
      if (closed.some((folder) => isInside(folder, path) || isInside(path, folder))) throw outside(name);
    },
    async openFile({ path, name }) {
      judge(path, name);
      const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
        (error: unknown) => {
          throw explain(error, name);
        },
      );
      try {
        await verifyHandle(handle, path, name);
        const facts = await handle.stat();
        if (facts.isDirectory()) throw new HubError('invalid', `${name} is a folder.`);
        if (!facts.isFile()) throw new HubError('invalid', `${name} is not a regular file.`);
        return handle;
      } catch (error) {
        await handle.close();
        throw error;
      }
    },
    async inFolder(path, work) {
      judge(path, nameBelow(root, path));
      return within(path, work);
    },
    async inTrash(id, work) {
      await within(root, (base) => mkdir(join(base, TRASH)).catch(unlessExists));
      await within(trash, (base) =>
        writeFile(join(base, '.gitignore'), UNSEEN_BY_GIT, { flag: 'wx' }).catch(unlessExists),
      );
      await within(trash, (base) => mkdir(join(base, id)).catch(unlessExists));
      return within(join(trash, id), work);
    },
    async makeFolder(path) {
      const missing: string[] = [];
      let at = path;
      while (!(await exists(at))) {
        missing.unshift(basename(at));
        at = dirname(at);
      }
      for (const part of missing) {
        await workspace.inFolder(at, (base) => mkdir(join(base, part)).catch(unlessExists));
        at = join(at, part);
      }
    },
  };
  return workspace;
}

/**
 * The real path of the deepest part that exists, and the rest as written; a dangling link is followed to
 * where it points.
 */
async function resolveLinks(path: string, hops = 0): Promise<string> {
  if (hops > 40) throw new HubError('invalid', 'The path leads through too many symbolic links.');
  const rest: string[] = [];
  let at = path;
  for (;;) {
    try {
      return join(await realpath(at), ...rest);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ELOOP') throw new HubError('invalid', 'The path leads through a loop of symbolic links.');
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw explain(error, basename(redact(path)));
    }
    const link = await readlink(at).catch(() => undefined);
    if (link !== undefined) return resolveLinks(join(resolve(dirname(at), link), ...rest), hops + 1);
    if (dirname(at) === at) return join(at, ...rest);
    rest.unshift(basename(at));
    at = dirname(at);
  }
}

/** Without /proc: the path must still lead to the very file that was opened. */
async function sameFile(handle: FileHandle, path: string): Promise<string> {
  const real = await realpath(path);
  const [opened, found] = [await handle.stat(), await stat(real)];
  if (opened.ino !== found.ino || opened.dev !== found.dev)
    throw new HubError('conflict', 'The path changed while it was being opened.');
  return real;
}

function refuseNameless(path: string): void {
  if (path === '' || path.includes('\0')) throw new HubError('invalid', 'path must name a file or folder.');
}

function asJudged(found: Located, judged: string | undefined): Located {
  if (judged === undefined || judged === found.name) return found;
  throw moved(judged);
}

function moved(name: string): HubError {
  return new HubError('conflict', `${name} leads elsewhere since the call was judged.`, {
    denied: 'workspace:moved',
    hint: 'Look at what is there now, and call again.',
  });
}

/** How a path below a root is called, with slashes everywhere. */
export function nameBelow(root: string, path: string): string {
  return relative(root, path).split(sep).join('/') || '.';
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

export function unlessExists(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}

function outside(path: string, hint = 'Use a path inside the workspace.'): HubError {
  return new HubError('forbidden', `${path} is outside the workspace.`, {
    denied: 'workspace:outside',
    hint,
  });
}

function trashed(path: string): HubError {
  return new HubError('forbidden', `${path} is in the trash, which is closed to tools.`, {
    denied: 'workspace:trash',
    hint: 'restore_path brings back what delete_path took away.',
  });
}

/** The operating system's no, in our words: never a path the caller did not write. */
export function explain(error: unknown, name: string): HubError {
  if (error instanceof HubError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new HubError('not_found', `${name} does not exist.`).because(error);
  if (code === 'ENOTDIR') return new HubError('invalid', `A part of ${name} is not a folder.`).because(error);
  if (code === 'EISDIR') return new HubError('invalid', `${name} is a folder.`).because(error);
  if (code === 'ELOOP')
    return new HubError('forbidden', `${name} became a symbolic link while it was being opened.`).because(
      error,
    );
  if (code === 'EACCES' || code === 'EPERM')
    return new HubError('forbidden', `The system does not allow access to ${name}.`).because(error);
  return new HubError('unavailable', `${name} cannot be used (${reasonOf(error)}).`).because(error);
}
