import type { Event, Feed, Gap } from '../kernel/event.ts';
import { HubError, toHubError } from '../kernel/errors.ts';
import { leaveUnit } from './unit.ts';

/** What a feed needs from its engine. */
export interface EventSource {
  head(): Promise<number>;
  floor(): Promise<number>;
  after(seq: number, limit: number): Promise<Event[]>;
  /** Calls `onChange` whenever another process may have committed events; answers how to stop. */
  watch(onChange: () => void): () => void;
}

export interface StoreFeed extends Feed {
  /** Told by the writer after each commit of this process. */
  committed(events: readonly Event[]): void;
  close(): void;
}

type Deliver = (page: readonly (Event | Gap)[]) => Promise<void> | undefined;

const PAGE = 500;
const KEPT = 4096;

/**
 * Sequence numbers are gapless and in commit order, so one integer is a complete cursor.
 * The newest events are kept in memory: a live reader is served from there, one that lags
 * reads pages from the database, and both see every event exactly once.
 */
export function createFeed(source: EventSource): StoreFeed {
  let recent: Event[] = [];
  let head: number | undefined;
  let refreshing: Promise<void> | undefined;
  let again = false;
  let stopWatching: (() => void) | undefined;
  const live = new Set<(fresh?: readonly Event[]) => void>();
  const interested = new Map<string, Set<() => void>>();
  let holders = 0;
  let closed = false;

  function append(events: readonly Event[]): void {
    const fresh = head === undefined ? events : events.filter((event) => event.seq > head!);
    if (fresh.length === 0) return;
    recent.push(...fresh);
    if (recent.length > 2 * KEPT) recent = recent.slice(-KEPT);
    head = fresh.at(-1)!.seq;
    for (const event of fresh) interested.get(event.subject)?.forEach((stir) => stir());
    for (const hear of live) hear(fresh);
  }

  /** Catches up with commits of other processes. One at a time; a request during one runs another. */
  function refresh(): Promise<void> {
    if (refreshing) {
      again = true;
      return refreshing;
    }
    refreshing = leaveUnit(catchUp).finally(() => {
      refreshing = undefined;
      if (again && !closed) {
        again = false;
        refresh().catch(() => undefined);
      }
    });
    return refreshing;
  }

  async function catchUp(): Promise<void> {
    const newest = await source.head();
    if (head === undefined || newest - head > KEPT) {
      const jumped = head !== undefined;
      recent = [];
      head = newest;
      if (jumped) interested.forEach((stirs) => stirs.forEach((stir) => stir()));
      for (const hear of live) hear();
      return;
    }
    while (head < newest) {
      const page = await source.after(head, PAGE);
      if (page.length === 0) return;
      append(page);
    }
  }

  /** Watching other processes costs a little, so it goes on only while someone waits. */
  function hold(): () => void {
    holders += 1;
    stopWatching ??= source.watch(() => {
      refresh().catch(() => undefined);
    });
    return () => {
      holders -= 1;
      if (holders > 0) return;
      stopWatching?.();
      stopWatching = undefined;
    };
  }

  async function take(cursor: number): Promise<readonly Event[]> {
    const first = recent[0];
    if (head !== undefined && cursor >= head) return [];
    if (first && first.seq <= cursor + 1)
      return recent.slice(cursor + 1 - first.seq, cursor + 1 - first.seq + PAGE);
    return source.after(cursor, PAGE);
  }

  async function follow(after: number, deliver: Deliver, signal: AbortSignal): Promise<void> {
    const release = leaveUnit(hold);
    try {
      await refresh();
      let cursor = after;
      const floor = await source.floor();
      if (cursor < floor) {
        await deliver([{ gapBefore: floor + 1 }]);
        cursor = floor;
      }
      while (!signal.aborted && !closed) {
        const page = await take(cursor);
        if (page.length === 0) {
          cursor = await goLive(cursor, deliver, signal);
          continue;
        }
        const isWhole = page[0]!.seq === cursor + 1;
        cursor = page.at(-1)!.seq;
        await deliver(isWhole ? page : [{ gapBefore: page[0]!.seq }, ...page]);
      }
    } finally {
      release();
    }
  }

  /** A reader at the head is handed new events as they are committed, until it falls behind. Answers its cursor. */
  function goLive(from: number, deliver: Deliver, signal: AbortSignal): Promise<number> {
    return new Promise((resolve, reject) => {
      let cursor = from;
      const leave = (then: () => void) => {
        live.delete(hear);
        signal.removeEventListener('abort', stop);
        then();
      };
      const stop = () => leave(() => resolve(cursor));
      const hear = (fresh?: readonly Event[]) => {
        if (fresh?.[0]?.seq !== cursor + 1) return stop();
        cursor = fresh.at(-1)!.seq;
        const wait = deliver(fresh);
        if (wait) leave(() => wait.then(() => resolve(cursor), reject));
      };
      if (signal.aborted || closed || (head ?? 0) > cursor) return resolve(cursor);
      live.add(hear);
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  async function* tail(
    after: number,
    want: (event: Event) => boolean,
    signal: AbortSignal,
  ): AsyncGenerator<Event | Gap> {
    const left = new AbortController();
    let ready: (Event | Gap)[] = [];
    let isOver = false;
    let failed: { reason: unknown } | undefined;
    let wake = () => {};
    let drained = () => {};
    const collect: Deliver = (page) => {
      ready.push(...page.filter((item) => 'gapBefore' in item || want(item)));
      if (ready.length === 0) return undefined;
      wake();
      return new Promise((resolve) => (drained = resolve));
    };
    follow(after, collect, AbortSignal.any([signal, left.signal]))
      .catch((thrown: unknown) => (failed = { reason: thrown }))
      .finally(() => {
        isOver = true;
        wake();
      });
    try {
      while (!signal.aborted) {
        const batch = ready;
        ready = [];
        for (const item of batch) {
          if (signal.aborted) return;
          yield item;
        }
        drained();
        if (failed) throw toHubError(failed.reason);
        if (isOver) return;
        if (ready.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      left.abort();
      drained();
    }
  }

  async function until<T>(
    subject: string,
    check: () => Promise<T | undefined>,
    signal: AbortSignal,
  ): Promise<T> {
    const release = leaveUnit(hold);
    let stirred = false;
    let wake: (() => void) | undefined;
    const stir = () => {
      stirred = true;
      wake?.();
    };
    const stirs = interested.get(subject) ?? new Set();
    interested.set(subject, stirs.add(stir));
    signal.addEventListener('abort', stir, { once: true });
    try {
      await refresh();
      while (!signal.aborted && !closed) {
        stirred = false;
        const answer = await check();
        if (answer !== undefined) return answer;
        if (!stirred) await new Promise<void>((resolve) => (wake = resolve));
      }
      if (closed && !signal.aborted)
        throw new HubError('unavailable', 'The hub is shutting down; ask again.');
      throw signal.reason;
    } finally {
      signal.removeEventListener('abort', stir);
      stirs.delete(stir);
      if (stirs.size === 0) interested.delete(subject);
      release();
    }
  }

  return {
    head: () => source.head(),
    follow,
    tail,
    until,
    committed(events) {
      if (events.length === 0) return;
      const first = events[0]!.seq;
      if (head === undefined) head = first - 1;
      if (first <= head + 1) append(events);
      else if (holders > 0) refresh().catch(() => undefined);
    },
    close() {
      closed = true;
      stopWatching?.();
      stopWatching = undefined;
      interested.forEach((stirs) => stirs.forEach((stir) => stir()));
      for (const hear of live) hear();
    },
  };
}
