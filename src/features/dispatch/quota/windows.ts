// Windows that roll: what was used since five hours ago, since this time yesterday, since this time a week ago. Pure.
import { daysBefore, ownZone } from '../../../kernel/zone-time.ts';
import type { BudgetWindow, WindowLimit } from '../../../kernel/quota-settings.ts';

/** What was used, and when. */
export type Used = Readonly<{ at: number; tokens: number; dollars: number }>;

export type WindowUse = Readonly<{
  tokens: number;
  dollars: number;
  isSpent: boolean;
  /** When it is below its budget again; of one that is, when the oldest use leaves it. Null: nothing was used. */
  resetsAt: number | null;
}>;

const FIVE_HOURS = 5 * 3_600_000;
const MINUTE = 60_000;

export function windowStart(window: BudgetWindow, now: number, zone = ownZone()): number {
  if (window === '5h') return now - FIVE_HOURS;
  return daysBefore(now, window === 'day' ? 1 : 7, zone);
}

export type WindowView = Readonly<{
  window: BudgetWindow;
  limit: WindowLimit | undefined;
  now: number;
  zone?: string | undefined;
}>;

/** `used` in any order. */
export function useOfWindow(used: readonly Used[], { window, limit, now, zone }: WindowView): WindowUse {
  const since = windowStart(window, now, zone);
  const within = used.filter(({ at }) => at > since).toSorted((a, b) => a.at - b.at);
  let { tokens, dollars } = sumOf(within);
  const total = { tokens, dollars };
  const isSpent = isOverLimit(total, limit);
  const [oldest] = within;
  if (!oldest) return { ...total, isSpent, resetsAt: null };
  // As if nothing more were used: one after the other leaves the window.
  let last = oldest;
  for (const each of within) {
    if (!isOverLimit({ tokens, dollars }, limit) && isSpent) break;
    last = each;
    tokens -= each.tokens;
    dollars -= each.dollars;
    if (!isSpent) break;
  }
  return { ...total, isSpent, resetsAt: leavesAt(last.at, { window, now, zone }) };
}

/** A budget of 0 is spent before anything is used. */
function isOverLimit(
  { tokens, dollars }: Readonly<{ tokens: number; dollars: number }>,
  limit: WindowLimit | undefined,
): boolean {
  if (!limit) return false;
  // Sums of fractions are never exact.
  return (
    (limit.tokens !== undefined && tokens >= limit.tokens) ||
    (limit.dollars !== undefined && dollars >= limit.dollars - 1e-9)
  );
}

/** The first moment at which the window begins after this one. A day is not always as long as the one before. */
function leavesAt(at: number, { window, now, zone }: Omit<WindowView, 'limit'>): number {
  let [early, late] = [now, now + 8 * 24 * 60 * MINUTE];
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (windowStart(window, middle, zone) >= at) late = middle;
    else early = middle;
  }
  return late;
}

function sumOf(used: readonly Used[]): Readonly<{ tokens: number; dollars: number }> {
  return used.reduce(
    (sum, { tokens, dollars }) => ({ tokens: sum.tokens + tokens, dollars: sum.dollars + dollars }),
    { tokens: 0, dollars: 0 },
  );
}
