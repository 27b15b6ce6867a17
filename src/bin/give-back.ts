import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Long enough for what a hub still loads once it is up. */
const AFTER_MS = 1_000;

/**
 * Starting makes more garbage than a hub at rest ever does, and the engine keeps the room it grew for it: a quarter
 * of the process. Once, soon after the start, it is asked to give that room back to the system.
 */
export function giveBackSoon(): void {
  setTimeout(giveBack, AFTER_MS).unref();
}

type Collect = (options: Readonly<{ type: 'major'; flavor: 'last-resort' }>) => void;

function giveBack(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') (collect as Collect)({ type: 'major', flavor: 'last-resort' });
}
