/**
 * A reader turns what one client wrote into the common form. It is pure and never throws: what it does not know it says, and
 * the line is kept as `unknown`. Formats are unofficial, so every field is looked at before it is believed.
 */
export const TURN_KINDS = ['person', 'agent', 'thought', 'call', 'result', 'diff', 'unknown'] as const;
export type TurnKind = (typeof TURN_KINDS)[number];

/** A turn as its client tells it: neither masked nor bounded yet. */
export type ReadTurn = Readonly<{
  /** What its client calls it; the same for the same turn, however often it is written. */
  key: string;
  /** Milliseconds; the time of the turn before where it tells none. */
  at?: number | undefined;
  kind: TurnKind;
  text: string;
  tool?: string | undefined;
  args?: unknown;
  isError?: boolean | undefined;
  /** Files that it touched, as the client names them. */
  files?: readonly string[] | undefined;
}>;

/** What a line tells about its session; undefined: nothing. */
export type SessionFacts = Readonly<{
  folder?: string | undefined;
  branch?: string | undefined;
  model?: string | undefined;
  title?: string | undefined;
  parent?: string | undefined;
  version?: string | undefined;
  startedAt?: number | undefined;
  /** All so far. */
  tokensIn?: number | undefined;
  tokensOut?: number | undefined;
  costUsd?: number | undefined;
}>;

/** What is known from earlier lines of the same file; plain JSON, kept with the position. */
export type ReaderState = Readonly<{
  /** The session that lines belong to, as its client calls it. */
  clientId?: string;
  /** The tool of a call that has no result yet, by the call's id. */
  calls?: Readonly<Record<string, string>>;
  tokensIn?: number;
  tokensOut?: number;
  /** The message whose use was counted last: it is told with each of its blocks. */
  counted?: string;
  folder?: string;
}>;

export type LineReading = Readonly<{
  state: ReaderState;
  turns: readonly ReadTurn[];
  facts?: SessionFacts;
  /** False: the line is kept as it is. */
  isKnown: boolean;
}>;

/** `name` is that of the file without its ending: some clients say the session's id nowhere else. */
export type LineReader = (line: unknown, state: ReaderState, name: string) => LineReading;

export const unknown = (state: ReaderState): LineReading => ({ state, turns: [], isKnown: false });
export const nothing = (state: ReaderState, facts?: SessionFacts): LineReading => ({
  state,
  turns: [],
  isKnown: true,
  ...(facts && { facts }),
});

/** Open calls are few; a client that never answers must not let them grow. */
const MOST_CALLS = 64;

export function withCall(state: ReaderState, id: string | undefined, tool: string): ReaderState {
  if (id === undefined) return state;
  const calls = Object.entries(state.calls ?? {}).slice(-MOST_CALLS);
  return { ...state, calls: { ...Object.fromEntries(calls), [id]: tool } };
}

export function withoutCall(state: ReaderState, id: string | undefined): ReaderState {
  if (id === undefined || state.calls?.[id] === undefined) return state;
  const { [id]: _, ...calls } = state.calls;
  return { ...state, calls };
}
