import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { basename, join } from 'node:path';
import type { Log } from '../../../kernel/log.ts';

/** Tells what in the vault changed, once things have been quiet for a moment. */
export interface FolderWatch {
  close(): void;
}

/** The paths that were touched; undefined when only a look at everything can tell. */
export type Touched = ReadonlySet<string> | undefined;

const QUIET_MS = 150;
/** For file systems that tell nothing (network mounts), and for what a watcher missed. */
const ANYWAY_MS = 30_000;

/** Watches folders, not files: a vault has dozens of the one and thousands of the other, and a folder tells of its files. */
export function watchVault(root: string, onChange: (touched: Touched) => void, log: Log): FolderWatch {
  const watchers = new Map<string, FSWatcher>();
  let touched: Set<string> | undefined = new Set();
  let timer: NodeJS.Timeout | undefined;

  const soon = (path: string | undefined): void => {
    if (path === undefined) touched = undefined;
    else touched?.add(path);
    timer ??= setTimeout(() => {
      const told = touched;
      timer = undefined;
      touched = new Set();
      if (told === undefined) follow();
      onChange(told);
    }, QUIET_MS).unref();
  };

  /** New folders are watched and those that are gone are not; the timer picks up what happened in between. */
  function follow(): void {
    const folders = new Set(foldersOf(root));
    for (const [folder, watcher] of watchers) if (!folders.has(folder)) drop(folder, watcher);
    for (const folder of folders) if (!watchers.has(folder)) add(folder);
  }

  function add(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        // Its own name: the folder was deleted or moved. One that takes its place is watched anew.
        const isItself = name === basename(folder);
        if (isItself) drop(folder, watcher);
        if (isItself || name === null || !name.includes('.')) soon(undefined);
        else if (isMemory(folder, name)) soon(`${folder.slice(root.length + 1)}/${name}`);
      });
      watcher.on('error', () => drop(folder, watcher));
      watchers.set(folder, watcher);
    } catch (error) {
      log.debug('A folder of the vault cannot be watched; it is looked at from time to time.', {
        folder,
        error,
      });
    }
  }

  function drop(folder: string, watcher: FSWatcher): void {
    watcher.close();
    if (watchers.get(folder) === watcher) watchers.delete(folder);
  }

  /** Drafts and hidden files are nobody's edit; what lies at the top is no memory. */
  function isMemory(folder: string, name: string): boolean {
    return folder !== root && !name.startsWith('.') && /\.md$/i.test(name);
  }

  follow();
  const anyway = setInterval(() => {
    follow();
    onChange(undefined);
  }, ANYWAY_MS).unref();
  return {
    close() {
      clearTimeout(timer);
      clearInterval(anyway);
      for (const [folder, watcher] of watchers) drop(folder, watcher);
    },
  };
}

function foldersOf(root: string): string[] {
  const shelves = ['entities', 'episodes'].map((shelf) => join(root, shelf));
  return [root, ...shelves.filter(isThere), ...shelves.flatMap((shelf) => subfoldersOf(shelf))];
}

function isThere(folder: string): boolean {
  return subfoldersOf(join(folder, '..')).includes(folder);
}

function subfoldersOf(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}
