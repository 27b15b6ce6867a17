// The server's time, which all hubs on one database keep because they must agree when a lease ends.
import type pg from 'pg';
import type { Clock } from '../../../kernel/clock.ts';

export interface ServerClock {
  now(): number;
  /**
   * Resolves when the time can be trusted: at once, unless the clock of this machine was set or the machine slept,
   * which is when the server is asked again first. Waits for no server that is away.
   */
  settled(): Promise<void> | undefined;
  stop(): void;
}

const MEASURE_MS = 60_000;
/** Both clocks of a machine run alike; what they differ by more than this is a step, or sleep. */
const STEP_MS = 500;
/** When the answer took longer, somewhere in between something stood still, and the moment it names is uncertain. */
const QUICK_MS = 250;
const TRIES = 3;

/**
 * Counted on from the last measurement by what has passed, so that setting the clock of this machine moves nothing. What
 * has passed does not grow while the machine sleeps, though: that shows in the other clock, and then, as after a step,
 * nothing is read or written before the server was asked again. Test: test/store/server-clock.test.ts.
 */
export async function followServerClock(pool: Pick<pg.Pool, 'query'>, clock: Clock): Promise<ServerClock> {
  /** The server's moment, less what had passed then. */
  let origin = 0;
  /** What the two clocks of this machine differed by when that was measured. */
  let apart = 0;
  let measuring: Promise<void> | undefined;

  async function measure(): Promise<void> {
    let best = Infinity;
    for (let tries = 0; tries < TRIES && best > QUICK_MS; tries += 1) {
      const before = clock.elapsed();
      const { rows } = await pool.query<{ ms: number }>(
        'select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms',
      );
      const after = clock.elapsed();
      if (after - before >= best) continue;
      best = after - before;
      origin = rows[0]!.ms - (before + after) / 2;
    }
    apart = clock.now() - clock.elapsed();
  }

  function measureAgain(): Promise<void> {
    measuring ??= measure()
      .catch(() => undefined)
      .finally(() => (measuring = undefined));
    return measuring;
  }

  await measure();
  const timer = setInterval(() => void measureAgain(), MEASURE_MS);
  timer.unref();
  return {
    now: () => Math.round(origin + clock.elapsed()),
    settled: () => (Math.abs(clock.now() - clock.elapsed() - apart) > STEP_MS ? measureAgain() : undefined),
    stop: () => clearInterval(timer),
  };
}
