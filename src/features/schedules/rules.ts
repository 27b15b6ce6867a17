// The pure decisions of the room.
import type { Times } from './times.ts';

/** What becomes of times that nobody was there for: none of them, one for all of them, each of them. */
export const MISSED = ['skip', 'once', 'all'] as const;
export type Missed = (typeof MISSED)[number];

/** A time counts as missed when it is longer ago than this. */
const LATE_MS = 60_000;
/** Of a week that was missed at a time a minute, only the newest. */
export const MOST_MISSED = 100;

export type Due = Readonly<{
  /** The times that fire now, oldest first. */
  fires: readonly number[];
  next: number | null;
}>;

export function dueOf({ nextAt, missed }: Planned, now: number, times: Times): Due {
  const next = times.after(now);
  const last = times.upTo(now);
  // A clock that was set back: what is planned has not come yet.
  if (nextAt > now || last === null) return { fires: [], next };
  if (missed === 'all') return { fires: times.between(nextAt, now, MOST_MISSED), next };
  const isLate = now - last > LATE_MS;
  return { fires: last < nextAt || (isLate && missed === 'skip') ? [] : [last], next };
}

type Planned = Readonly<{ nextAt: number; missed: Missed }>;

/** One schedule fires at most so often, whatever triggers it. */
const APART_MS = 60_000;
/** So many of one schedule wait for their minute; what comes on top is refused. */
export const MOST_WAITING = 20;

/** When something that was triggered now may start, after the last that was. */
export function spaced(now: number, last: number | null): number {
  return last === null ? now : Math.max(now, last + APART_MS);
}

const LONGEST_TITLE = 120;

/** What a task of it is called: the first line of what is asked. */
export function titleOf(prompt: string): string {
  const line =
    prompt
      .split('\n')
      .find((each) => each.trim() !== '')
      ?.trim() ?? '';
  return line.length > LONGEST_TITLE ? `${line.slice(0, LONGEST_TITLE - 1)}…` : line;
}
