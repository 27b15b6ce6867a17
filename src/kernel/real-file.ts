import { basename, dirname, join, resolve } from 'node:path';
import { readlinkSync, realpathSync } from 'node:fs';

/** The system follows no more, either. */
const MOST_LINKS = 40;

/** One name for a file reached by different symbolic links, also before it exists: a link may lead to where none is yet. */
export function realFile(path: string): string {
  let place = path;
  for (let links = 0; links < MOST_LINKS; links += 1) {
    const whole = resolved(place);
    if (whole !== undefined) return whole;
    const folder = resolved(dirname(place));
    if (folder === undefined) return place;
    place = join(folder, basename(place));
    const target = targetOf(place);
    if (target === undefined) return place;
    place = resolve(folder, target);
  }
  return path;
}

function resolved(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // not there yet, or behind what cannot be looked into
  }
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // no link
  }
}
