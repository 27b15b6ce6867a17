import type { Actor } from './principal.ts';

/**
 * One thing that happened, written in the transaction that made it happen. Events are thin:
 * kinds, ids and numbers, never text that a person could ask us to forget.
 */
export type NewEvent = Readonly<{
  kind: string;
  subject: string;
  realm: 'hub' | `being:${string}`;
  team?: string;
  data?: Readonly<Record<string, string | number | boolean | null>>;
}>;

export type Event = NewEvent & Readonly<{ seq: number; at: number; actor: Actor; hub: string }>;

/** Retention removed everything before `gapBefore`; a reader whose cursor is older has missed events. */
export type Gap = Readonly<{ gapBefore: number }>;

export interface Feed {
  /** The sequence number of the newest committed event. */
  head(): Promise<number>;
  /**
   * Hands every event after `after` to `deliver`, page by page and in commit order, until the signal aborts. While
   * the promise it may answer is pending, this reader alone waits; it goes on from where it was.
   */
  follow(
    after: number,
    deliver: (page: readonly (Event | Gap)[]) => Promise<void> | undefined,
    signal: AbortSignal,
  ): Promise<void>;
  /** Every wanted event after `after`, in commit order, without end until the signal aborts. */
  tail(after: number, want: (event: Event) => boolean, signal: AbortSignal): AsyncIterable<Event | Gap>;
  /** Resolves with the first defined answer of `check`, asked now and after every event about `subject`. Rejects when aborted. */
  until<T>(subject: string, check: () => Promise<T | undefined>, signal: AbortSignal): Promise<T>;
}
