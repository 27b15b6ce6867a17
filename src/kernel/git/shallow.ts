import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from '../maybe-file.ts';
import { settleFile } from './settle-file.ts';

/** Where a history was cut off, so that nobody looks for what is before it: from one repository to one that reads its objects. */
export function copyShallow(from: string, to: string): void {
  const [cut, path] = [readIfThere(join(from, 'shallow')), join(to, 'shallow')];
  if (cut !== undefined) settleFile(path, cut);
  else rmSync(path, { force: true });
}
