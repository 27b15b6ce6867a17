import type { Principal } from '../../kernel/principal.ts';
import type { EngineLimits } from './limits.ts';

/** Who keeps a stream open, in either era. Counted per caller and per connection, too: nobody can take the quotas of all others. */
export interface Listeners {
  /** Answers how to leave again, or the limit that is reached. */
  enter(who: Principal): (() => void) | Crowded;
}

export type Crowded = Readonly<{
  limit: number;
  whose: 'of this connection' | 'of this caller' | 'of all callers';
}>;

export function createListeners(limits: EngineLimits['listeners']): Listeners {
  const counts = new Map<string, number>();
  const add = (key: string, change: 1 | -1) => {
    const count = (counts.get(key) ?? 0) + change;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  };
  return {
    enter(who) {
      const quotas = quotasOf(who, limits);
      const full = quotas.find(({ key, limit }) => (counts.get(key) ?? 0) >= limit);
      if (full) return { limit: full.limit, whose: full.whose };
      for (const { key } of quotas) add(key, 1);
      return () => quotas.forEach(({ key }) => add(key, -1));
    },
  };
}

type Quota = Crowded & Readonly<{ key: string }>;

/** Stateless requests have no connection to count by. */
function quotasOf({ kind, id, seat }: Principal, limits: EngineLimits['listeners']): readonly Quota[] {
  return [
    ...(seat === ''
      ? []
      : [{ key: `seat ${seat}`, limit: limits.perSeat, whose: 'of this connection' as const }]),
    { key: `caller ${kind}:${id}`, limit: limits.perCaller, whose: 'of this caller' },
    { key: 'all', limit: limits.total, whose: 'of all callers' },
  ];
}
