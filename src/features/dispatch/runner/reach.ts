// What needs the hub and has to come through: tried again while it is away, for as long as its attempt is ours.
import type { RunnerLink, At } from './link.ts';
import { HubAway, restAfter } from './link.ts';

type Reach = Readonly<{
  link: Pick<RunnerLink, 'beat'>;
  at: At;
  /** Nobody waits for it any more. */
  signal: AbortSignal;
}>;

/** A connection that broke looks like a refusal, so what fails while the hub is there is not believed at once. */
const MOST_TRIES = 3;

/** Work of git, which does not tell whether it was refused or not heard. */
export async function untilReached<T>({ link, at, signal }: Reach, work: () => Promise<T>): Promise<T> {
  for (let [failures, tries] = [0, 0]; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (await isThere()) tries += 1;
      if (tries >= MOST_TRIES || signal.aborted) throw error;
    }
    await restAfter(failures, signal);
  }

  /** Throws where the attempt is not ours any more. */
  async function isThere(): Promise<boolean> {
    try {
      await link.beat(at, { asks: [], waitMs: 0 }, signal);
      return true;
    } catch (error) {
      if (error instanceof HubAway) return false;
      throw error;
    }
  }
}

type Late = Readonly<{
  ms: number;
  /** Aborted when nobody asks any more: the first signal outlives whoever waits for it here. */
  over: AbortSignal;
}>;

/** Aborted so long after the first signal: who is to leave does not wait for a hub for ever. */
export function lateAfter(first: AbortSignal, { ms, over }: Late): AbortSignal {
  const later = new AbortController();
  const begin = () => void setTimeout(() => later.abort(), ms).unref();
  if (first.aborted) begin();
  else first.addEventListener('abort', begin, { once: true, signal: over });
  return later.signal;
}
