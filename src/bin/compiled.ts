import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { makeFolders } from '../kernel/folders.ts';

/** By then the first calls were answered, and what they need is compiled. */
const SETTLED_MS = 2_000;

/** From the second start on the modules of a hub need not be compiled. Where nothing can be kept, they are. */
export function keepCompiled(home: string, settled: () => void = () => undefined): void {
  // Node keeps it when the process ends by itself, and clients kill their servers.
  setTimeout(() => {
    flushCompileCache();
    settled();
  }, SETTLED_MS).unref();
  const folder = join(home, 'cache');
  try {
    makeFolders(folder);
    enableCompileCache(folder);
  } catch {
    // A hub whose folder takes no files starts all the same.
  }
}
