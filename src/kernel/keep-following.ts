// Whoever acts on what happens must not go deaf: a database that is away, or a connection that does not become free in time, ends a
// reader of the feed. It begins again where it was, and says so once.
import { setTimeout } from 'node:timers/promises';
import type { Event, Feed, Gap } from './event.ts';
import type { Log } from './log.ts';

export type Following = Readonly<{
  feed: Feed;
  log: Log;
  /** What is not heard of meanwhile, as the log says it. */
  what: string;
  /** Before the first event, and again after each trouble: what was missed may be read here. */
  begin?: () => Promise<void>;
  /** What it answers is waited for; who answers nothing hears the next event at once. */
  each(entry: Event | Gap): Promise<void> | void;
}>;

const fail = async (error: unknown): Promise<never> => {
  throw error;
};

type Page = readonly (Event | Gap)[];

const RETRY_MS = 500;

/** Every event from now on, in order, until the signal aborts. */
export async function keepFollowing(following: Following, signal: AbortSignal): Promise<void> {
  const { feed, log, what, begin, each } = following;
  let after: number | undefined;
  let isComplained = false;

  /** Without a promise where there is nothing to wait for: whoever waits leaves the feed and comes back, at every commit. */
  function hear(page: Page): Promise<void> | undefined {
    for (const [at, entry] of page.entries()) {
      const doing = heard(entry);
      if (doing) return doing.then(() => (pass(entry), hear(page.slice(at + 1))));
      pass(entry);
    }
    return undefined;
  }

  /** What fails at once fails as what fails later. */
  function heard(entry: Event | Gap): Promise<void> | void {
    try {
      return each(entry);
    } catch (error) {
      return fail(error);
    }
  }

  function pass(entry: Event | Gap): void {
    if (!('gapBefore' in entry)) after = entry.seq;
  }

  while (!signal.aborted) {
    try {
      after ??= await feed.head();
      await begin?.();
      isComplained = false;
      return await feed.follow(after, hear, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!isComplained) log.warn(`${what} are not heard of; trying again`, { error });
      isComplained = true;
      await setTimeout(RETRY_MS, undefined, { ref: false, signal }).catch(() => undefined);
    }
  }
}
