import { watch } from 'node:fs';
import type { Log } from '../../../kernel/log.ts';

/** Tells that something in the vault changed, once things have been quiet for a moment. */
export interface Watch {
  close(): void;
}

const QUIET_MS = 150;
/** For file systems that tell nothing (network mounts), and for what a watcher missed. */
const ANYWAY_MS = 30_000;

export function watchVault(root: string, onChange: () => void, log: Log): Watch {
  let timer: NodeJS.Timeout | undefined;
  const soon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      onChange();
    }, QUIET_MS).unref();
  };
  const anyway = setInterval(onChange, ANYWAY_MS).unref();
  const watcher = startWatcher(root, soon, log);
  return {
    close() {
      clearTimeout(timer);
      clearInterval(anyway);
      watcher?.close();
    },
  };
}

function startWatcher(root: string, soon: () => void, log: Log) {
  try {
    const watcher = watch(root, { recursive: true, persistent: false }, (_event, name) => {
      if (name === null || (/\.md$/i.test(name) && !/^archive[\\/]/.test(name)) || !/\.[^\\/]*$/.test(name)) soon();
    });
    watcher.on('error', (error) => log.warn('The vault can no longer be watched; it is looked at from time to time.', { error }));
    return watcher;
  } catch (error) {
    log.warn('The vault cannot be watched; it is looked at from time to time.', { error });
    return undefined;
  }
}
