import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A file of data that stands in `folder` or above it: beside its reader in the sources, at the top of what a build writes. */
export function readDataBytes(folder: string, name: string): Buffer {
  let place = folder;
  while (!existsSync(join(place, name)) && dirname(place) !== place) place = dirname(place);
  return readFileSync(join(place, name));
}

export function readDataFile(folder: string, name: string): unknown {
  return JSON.parse(readDataBytes(folder, name).toString());
}
