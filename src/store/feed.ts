import type { Event, Feed, Gap } from '../kernel/event.ts';
import { HubError } from '../kernel/errors.ts';
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
  const waiting = new Set<() => void>();
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
    wakeAll();
  }

  function wakeAll(): void {
    const woken = [...waiting];
    waiting.clear();
    for (const wake of woken) wake();
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
      wakeAll();
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

  function moved(cursor: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted || closed || (head ?? 0) > cursor) return resolve();
      const wake = () => {
        waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  async function take(cursor: number): Promise<readonly Event[]> {
    const first = recent[0];
    if (head !== undefined && cursor >= head) return [];
    if (first && first.seq <= cursor + 1) return recent.slice(cursor + 1 - first.seq, cursor + 1 - first.seq + PAGE);
    return source.after(cursor, PAGE);
  }

  async function* tail(after: number, want: (event: Event) => boolean, signal: AbortSignal): AsyncGenerator<Event | Gap> {
    const release = leaveUnit(hold);
    try {
      await refresh();
      let cursor = after;
      const floor = await source.floor();
      if (cursor < floor) {
        yield { gapBefore: floor + 1 };
        cursor = floor;
      }
      while (!signal.aborted && !closed) {
        const page = await take(cursor);
        for (const event of page) {
          if (event.seq !== cursor + 1) yield { gapBefore: event.seq };
          cursor = event.seq;
          if (want(event)) yield event;
          if (signal.aborted) return;
        }
        if (page.length === 0) await moved(cursor, signal);
      }
    } finally {
      release();
    }
  }

  async function until<T>(subject: string, check: () => Promise<T | undefined>, signal: AbortSignal): Promise<T> {
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
      if (closed && !signal.aborted) throw new HubError('unavailable', 'The hub is shutting down; ask again.');
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
      wakeAll();
    },
  };
}
