import type { StreamMessage } from '../../../http/route.ts';
import { pause } from '../../../kernel/clock.ts';
import type { Database } from '../../../store/database.ts';
import { eventsAfter, type StoredEvent } from '../rows/events.ts';

/**
 * Following runs. All readers of one run share one follower of the feed and one message per event, so that an
 * event for a thousand readers is read and serialised once. Everything comes from the database: a run that
 * ended before a restart, or that another hub runs, is followed the same way.
 */
export interface Channels {
  /** Every event after `after`, in order and without end until `terminal` was sent or the signal aborts. */
  follow(runId: string, after: number, signal: AbortSignal): AsyncIterable<Page>;
}

type Page = Readonly<{
  messages: readonly StreamMessage[];
  last: number;
  isOver: boolean;
  /** The oldest event there is, when those before it are gone. */
  gapBefore?: number;
}>;

const PAGE = 500;
/** Messages of one run that late readers may share. */
const KEPT = 1_000;

type Shared = Readonly<{ id: number; message: StreamMessage; isOver: boolean }>;

type Channel = {
  /** Called when something new has come. */
  readonly readers: Set<() => void>;
  readonly messages: Shared[];
  /** What came last, ready for everybody who had seen all before it: most readers, most of the time. */
  latest: Readonly<{ after: number; page: Page }> | undefined;
  readonly stopping: AbortController;
};

export function createChannels(db: Database): Channels {
  const channels = new Map<string, Channel>();

  function join(runId: string, stir: () => void): Channel {
    let channel = channels.get(runId);
    if (!channel) {
      channel = { readers: new Set(), messages: [], latest: undefined, stopping: new AbortController() };
      channels.set(runId, channel);
      void keepUp(runId, channel);
    }
    channel.readers.add(stir);
    return channel;
  }

  function leave(runId: string, channel: Channel, stir: () => void): void {
    channel.readers.delete(stir);
    if (channel.readers.size > 0) return;
    channel.stopping.abort();
    if (channels.get(runId) === channel) channels.delete(runId);
  }

  /** Takes new events from the database as they are told of, and wakes the readers. */
  async function keepUp(runId: string, channel: Channel): Promise<void> {
    const { signal } = channel.stopping;
    let after: number | undefined;
    while (!signal.aborted) {
      try {
        const events = await db.feed.until(runId, () => nextPage(runId, after), signal);
        // What is shared has no holes, so that a place in it is a number. A reader from before a hole asks
        // the database.
        if (events[0]!.id !== (after ?? 0) + 1) channel.messages.length = 0;
        const fresh = events.map(messageOf);
        channel.latest = { after: after ?? 0, page: pageOf(fresh, after ?? 0) };
        after = events.at(-1)!.id;
        channel.messages.push(...fresh);
        if (channel.messages.length > KEPT) channel.messages.splice(0, channel.messages.length - KEPT);
        for (const stir of channel.readers) stir();
      } catch {
        // The feed is closed, or nobody reads any more; readers look for themselves.
        await pause(200, signal);
      }
    }
  }

  async function nextPage(runId: string, after: number | undefined): Promise<StoredEvent[] | undefined> {
    const events = await db.read((q) => eventsAfter(q, runId, { after: after ?? 0, limit: PAGE }));
    return events.length === 0 ? undefined : events;
  }

  async function readPage(runId: string, channel: Channel, after: number): Promise<Page | undefined> {
    const shared = channel.messages;
    const first = shared[0]?.id;
    if (first !== undefined && first <= after + 1) {
      const rest = after < first ? shared : shared.slice(after - first + 1);
      return rest.length === 0 ? undefined : pageOf(rest, after);
    }
    const events = await db.read((q) => eventsAfter(q, runId, { after, limit: PAGE }));
    return events.length === 0 ? undefined : pageOf(events.map(messageOf), after);
  }

  return {
    follow: (runId, after, signal) => ({
      [Symbol.asyncIterator]: () => reader(runId, after, signal),
    }),
  };

  /**
   * Written by hand: a page for a thousand readers costs each of them one promise, not the four of a
   * generator.
   */
  function reader(runId: string, after: number, signal: AbortSignal): AsyncIterator<Page> {
    let cursor = after;
    let isDone = false;
    let isStirred = false;
    let wake: (() => void) | undefined;
    const stir = () => {
      isStirred = true;
      wake?.();
    };
    const channel = join(runId, stir);
    signal.addEventListener('abort', stir, { once: true });

    function end(): IteratorReturnResult<undefined> {
      if (!isDone) {
        isDone = true;
        signal.removeEventListener('abort', stir);
        leave(runId, channel, stir);
      }
      return { done: true, value: undefined };
    }

    function take(page: Page): IteratorYieldResult<Page> {
      cursor = page.last;
      // What follows the end is nothing: the place in the channel is free before anybody asks.
      if (page.isOver) end();
      return { done: false, value: page };
    }

    const ready = () => (channel.latest?.after === cursor ? channel.latest.page : undefined);

    async function look(): Promise<IteratorResult<Page, undefined>> {
      while (!isDone && !signal.aborted) {
        isStirred = false;
        const page = ready() ?? (await readPage(runId, channel, cursor));
        if (page) return take(page);
        if (!isStirred) await new Promise<void>((resolve) => (wake = resolve));
      }
      return end();
    }

    /** Resolves with what comes next, as soon as it is there. */
    function wait(): Promise<IteratorResult<Page, undefined>> {
      return new Promise((resolve, reject) => {
        wake = () => {
          wake = undefined;
          const page = signal.aborted ? undefined : ready();
          if (!page) return void look().then(resolve, reject);
          // The newest page is told of once, and this is it.
          isStirred = false;
          return resolve(take(page));
        };
      });
    }

    return {
      next() {
        if (isDone || signal.aborted) return Promise.resolve(end());
        const page = ready();
        if (page) return Promise.resolve(take(page));
        // Nobody called since the last look at a channel that is up to date: nothing can have come.
        const isUpToDate = !isStirred && channel.latest?.page.last === cursor;
        return isUpToDate ? wait() : look();
      },
      return: () => Promise.resolve(end()),
    };
  }
}

function messageOf({ id, kind, data }: StoredEvent): Shared {
  return { id, message: { id, event: kind, data }, isOver: kind === 'terminal' };
}

function pageOf(messages: readonly Shared[], after: number): Page {
  const first = messages[0]!.id;
  const last = messages.at(-1)!;
  return {
    messages: messages.map(({ message }) => message),
    last: last.id,
    isOver: last.isOver,
    ...(first > after + 1 && { gapBefore: first }),
  };
}
