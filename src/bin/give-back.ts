import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Long enough for what a hub still loads once it is up. */
const AFTER_MS = 1_000;
const LOOK_MS = 250;
/** The share of its time in which a hub at rest does anything. Giving back takes a tenth of a second: nobody may wait for it. */
const AT_REST = 0.01;

/**
 * Starting makes more garbage than a hub at rest ever does, and the engine keeps the room it grew for it: a quarter
 * of the process. Once, in the first moment after the start in which nobody asks for anything, it is asked to give that
 * room back to the system.
 */
export function giveBackSoon(): void {
  let before = performance.eventLoopUtilization();
  const look = () => {
    const { utilization } = performance.eventLoopUtilization(before);
    before = performance.eventLoopUtilization();
    if (utilization <= AT_REST) giveBack();
    else setTimeout(look, LOOK_MS).unref();
  };
  setTimeout(look, AFTER_MS).unref();
}

type Collect = (options: Readonly<{ type: 'major'; flavor: 'last-resort' }>) => void;

function giveBack(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') (collect as Collect)({ type: 'major', flavor: 'last-resort' });
}
