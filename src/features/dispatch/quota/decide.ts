// What becomes of a run whose agent met a limit: it goes on with another agent, waits, or is over. Pure.
import { resetTimeIn } from './reset-time.ts';
import { type Limit, passes } from './limit.ts';
import type { QuotaState } from './state.ts';

export type QuotaRules = Readonly<{
  /** Parks in a row without a word of a model; 0: it never parks. */
  parks: number;
  /** The first step where nobody says until when. */
  backoffMs: number;
  /** The clock that the client looks at. */
  zone?: string | undefined;
}>;

export type MetLimit = Readonly<{
  limit: Limit;
  /** Who met it. */
  instance: string;
  /** Who else may go on, in order. */
  chain: readonly string[];
  state: QuotaState;
  now: number;
}>;

/** `to`: who goes on. */
export type Next =
  | Readonly<{ kind: 'over'; why?: string }>
  | Readonly<{ kind: 'switch'; to: string; met: QuotaState['met'] }>
  | Readonly<{ kind: 'park'; to: string; until: number; met: QuotaState['met'] }>;

const MINUTE = 60_000;
/** A week, and what clocks and windows may be off. */
export const LONGEST_MS = 8 * 24 * 60 * MINUTE;
const LONGEST_STEP_MS = 60 * MINUTE;
export const MOST_PARKS = 100;

export function decideNext({ limit, instance, chain, state, now }: MetLimit, rules: QuotaRules): Next {
  if (limit.kind === 'key') return { kind: 'over' };
  const until = passes(limit) ? waitUntil(limit, { now, inRow: state.inRow }, rules) : null;
  const met = { ...stillMet(state.met, now), [instance]: until };
  const to = [state.first, ...chain].find((name) => !Object.hasOwn(met, name));
  if (to !== undefined) return { kind: 'switch', to, met };
  const open = Object.entries(met).flatMap(([name, at]) => (at === null ? [] : [{ name, at }]));
  const [soonest] = open.toSorted((a, b) => a.at - b.at);
  if (!soonest || rules.parks === 0) return { kind: 'over' };
  if (state.inRow >= rules.parks || state.parks >= MOST_PARKS)
    return {
      kind: 'over',
      why: `it waited ${state.inRow >= rules.parks ? state.inRow : state.parks} times for its model`,
    };
  return { kind: 'park', to: soonest.name, until: soonest.at, met };
}

/** What has passed was met once, and is no reason any more. */
function stillMet(met: QuotaState['met'], now: number): QuotaState['met'] {
  return Object.fromEntries(Object.entries(met).filter(([, until]) => until === null || until > now));
}

type Moment = Readonly<{ now: number; inRow: number }>;

/** What was said, within bounds; else a step that doubles. */
export function waitUntil(limit: Limit, { now, inRow }: Moment, { backoffMs, zone }: QuotaRules): number {
  const step = Math.min(
    Math.max(1, backoffMs) * 2 ** Math.min(inRow, 20),
    Math.max(LONGEST_STEP_MS, backoffMs),
  );
  const told = toldTime(limit, { now, zone });
  // A time that has passed is no time to wait for.
  if (told === undefined || !(told > now)) return now + step;
  return Math.min(told, now + LONGEST_MS);
}

/** When it is over by the client's own word, on the clock that its process looks at. */
export function toldTime(
  { resetsAt, afterMs, text }: Limit,
  at: Readonly<{ now: number; zone: string | undefined }>,
): number | undefined {
  return resetsAt ?? (afterMs === undefined ? inWords(text, at) : at.now + afterMs);
}

/** A clock without seconds shows the minute in which it is over. */
function inWords(text: string, at: Readonly<{ now: number; zone: string | undefined }>): number | undefined {
  const told = resetTimeIn(text, at);
  return told !== undefined && told % MINUTE === 0 ? told + MINUTE : told;
}
