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
  /** Every wanted event after `after`, in commit order, without end until the signal aborts. */
  tail(after: number, want: (event: Event) => boolean, signal: AbortSignal): AsyncIterable<Event | Gap>;
  /** Resolves with the first defined answer of `check`, asked now and after every event about `subject`. Rejects when aborted. */
  until<T>(subject: string, check: () => Promise<T | undefined>, signal: AbortSignal): Promise<T>;
}
