import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { makeFolders } from '../kernel/folders.ts';

/** By then the first calls were answered, and what they need is compiled. */
const SETTLED_MS = 2_000;

/** From the second start on the modules of a hub need not be compiled. Where nothing can be kept, they are. */
export function keepCompiled(home: string): void {
  const folder = join(home, 'cache');
  try {
    makeFolders(folder);
  } catch {
    return;
  }
  enableCompileCache(folder);
  // Node keeps it when the process ends by itself, and clients kill their servers.
  setTimeout(flushCompileCache, SETTLED_MS).unref();
}
