/**
 * Time is injected so that leases and expiry can be tested without waiting. There are two kinds: the moment, which is
 * stored and shown, and which somebody or a time server may set back or ahead; and what has passed, which only grows.
 * Whatever measures how long something took or may take asks the second.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that only go forward, from a zero that means nothing. It stands still while the machine sleeps. */
  elapsed(): number;
}

export const systemClock: Clock = { now: () => Date.now(), elapsed };

/** What has passed by the clock of this process, for whatever no test has to move. Not `performance`, whose first use costs a start 1 ms. */
export function elapsed(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Resolves after `ms`, or at once when the signal aborts. Never rejects: callers look at the signal. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}
