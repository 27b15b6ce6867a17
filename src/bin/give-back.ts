// What starting takes beyond what a hub at rest needs, and how it is not kept.
import { performance, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Long enough for what a hub still loads and writes once it is up. */
const AFTER_MS = 2_000;
const LOOK_MS = 250;
/** How often a hub that has given back looks whether it has grown since, and by how much that is worth a tenth of a second. */
const LOOK_AGAIN_MS = 2_000;
const GROWN_BYTES = 24 * 2 ** 20;
/** The same for a runner: what it took for a run is not kept for the hours until the next one. */
export const GROWN_BY_A_RUN = 6 * 2 ** 20;
/** The share of its time in which a hub at rest does anything. Giving back takes a tenth of a second: nobody may wait for it. */
const AT_REST = 0.01;

/**
 * What runs once is not worth optimising, and what the compilers took for it, 8 MB on threads of their own, is never given back.
 * Answers how it goes on. The first compiler is filtered and not switched off: without it a function that was called meanwhile
 * waits for 3,000 more calls instead of 400, and calls cost a third more until then. What is compiled is kept under the flags it
 * was compiled with: whoever keeps it does so before.
 */
export function optimiseLater(): () => void {
  for (const flag of ['--no-opt', '--maglev-filter=-*']) setFlagsFromString(flag);
  return () => {
    for (const flag of ['--opt', '--maglev-filter=*']) setFlagsFromString(flag);
  };
}

/**
 * Starting makes more garbage than a hub at rest ever does, and so does a burst of work; the engine keeps the room it grew for
 * it: a quarter of the process and more. In the first moment after the start in which nobody asks for anything, and in each
 * quiet one after it has grown, it is asked to give that room back to the system. Held by test/hub/give-back.test.ts and the bench of the start.
 */
export function giveBackAtRest(grown = GROWN_BYTES): void {
  let before = performance.eventLoopUtilization();
  let most = 0;
  const look = () => {
    const { utilization } = performance.eventLoopUtilization(before);
    before = performance.eventLoopUtilization();
    if (utilization <= AT_REST && process.memoryUsage.rss() > most) {
      giveBack();
      most = process.memoryUsage.rss() + grown;
    }
    setTimeout(look, most === 0 ? LOOK_MS : LOOK_AGAIN_MS).unref();
  };
  setTimeout(look, AFTER_MS).unref();
}

/** Both halves of it, as the engine counts: from here on it doubles no more, which leaves it at 32 MB. */
const NURSERY_BYTES = 24 * 2 ** 20;

/**
 * Where objects are born the engine doubles its room again and again while a hub works, to 128 MB, which are its own until it is
 * at rest. From a quarter of that on it saves little, so there it stays. Looked at when the engine has collected, which is told a
 * moment later: a burst may double it once more.
 */
export function boundNursery(): void {
  let factor = 2;
  const look = () => {
    const wanted = nurseryBytes() < NURSERY_BYTES ? 2 : 1;
    if (wanted === factor) return;
    factor = wanted;
    setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  };
  new PerformanceObserver(look).observe({ entryTypes: ['gc'] });
}

function nurseryBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0;
}

type Collect = (options: Readonly<{ type: 'major'; flavor: 'last-resort' }>) => void;

function giveBack(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') (collect as Collect)({ type: 'major', flavor: 'last-resort' });
}
