import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A file of data that stands in `folder` or above it: beside its reader in the sources, at the top of what a build writes. */
export function readDataFile(folder: string, name: string): unknown {
  let place = folder;
  while (!existsSync(join(place, name)) && dirname(place) !== place) place = dirname(place);
  return JSON.parse(readFileSync(join(place, name), 'utf8'));
}
