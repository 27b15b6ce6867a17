import { elapsed } from './clock.ts';

/** Of each key so many within a time; what came before does not count any more. */
export interface Windows {
  /** Counts one more of this key, unless there were as many as may be. */
  take(key: string, most: number): boolean;
}

const MOST_KEYS = 10_000;

/** By what has passed: a clock that is set gives and takes nothing. The keys that were quiet longest are forgotten first. */
export function createWindows(windowMs: number, now: () => number = elapsed): Windows {
  const taken = new Map<string, readonly number[]>();
  return {
    take(key, most) {
      const since = now() - windowMs;
      const recent = (taken.get(key) ?? []).filter((at) => at > since);
      const isFree = recent.length < most;
      taken.delete(key);
      if (taken.size >= MOST_KEYS) taken.delete(taken.keys().next().value!);
      taken.set(key, isFree ? [...recent, now()] : recent);
      return isFree;
    },
  };
}
