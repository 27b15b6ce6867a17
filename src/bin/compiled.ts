import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { makeFolders } from '../kernel/folders.ts';

/** From the second start on the modules of a hub need not be compiled. Where nothing can be kept, they are. */
export function keepCompiled(home: string): void {
  const folder = join(home, 'cache');
  try {
    makeFolders(folder);
  } catch {
    return;
  }
  enableCompileCache(folder);
}
