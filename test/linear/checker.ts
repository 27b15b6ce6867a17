// Is there an order of these calls, in which each takes place between its beginning and its end, that one task alone with one
// hand on it could have answered so? The search is Wing and Gong's, and remembers where it has been as Lowe's does.
import type { Call } from './history.ts';
import { after, FREE, type Lease, type State } from './model.ts';

export type Verdict =
  | Readonly<{ is: 'linearizable' }>
  | Readonly<{ is: 'broken'; task: string; stuckAt: readonly Call[] }>
  /** More to look through than anybody waits for: no verdict, and no success. */
  | Readonly<{ is: 'unknown'; task: string }>;

const MOST_STEPS = 2_000_000;

/** Tasks do not touch each other, so each has a history of its own. */
export function check(calls: readonly Call[], lease: Lease): Verdict {
  for (const [task, own] of Map.groupBy(calls, (call) => call.task)) {
    const verdict = checkTask(task, own, lease);
    if (verdict.is !== 'linearizable') return verdict;
  }
  return { is: 'linearizable' };
}

type Place = Readonly<{ done: bigint; state: State }>;

function checkTask(task: string, calls: readonly Call[], lease: Lease): Verdict {
  const known = [...calls].sort((a, b) => a.began - b.began);
  const mustHappen = known.map(({ answer }) => answer.is !== 'lost');
  const all = bitsWhere(mustHappen);
  const seen = new Set<string>();
  const stack: Place[] = [{ done: 0n, state: FREE }];
  let furthest: Place = stack[0]!;
  for (let steps = 0; stack.length > 0; steps += 1) {
    if (steps > MOST_STEPS) return { is: 'unknown', task };
    const place = stack.pop()!;
    if ((place.done & all) === all) return { is: 'linearizable' };
    if (count(place.done) > count(furthest.done)) furthest = place;
    // Nothing can come before a call that ended before it began.
    const open = known.filter((_, i) => !hasBit(place.done, i));
    const horizon = Math.min(...open.map(({ ended }) => ended));
    for (const [i, call] of known.entries()) {
      if (hasBit(place.done, i) || call.began > horizon) continue;
      for (const state of after(lease, place.state, call)) {
        const to = { done: place.done | (1n << BigInt(i)), state };
        const key = `${to.done} ${JSON.stringify(state)}`;
        if (seen.has(key)) continue;
        seen.add(key);
        stack.push(to);
      }
    }
  }
  return { is: 'broken', task, stuckAt: known.filter((_, i) => !hasBit(furthest.done, i)).slice(0, 5) };
}

function hasBit(bits: bigint, i: number): boolean {
  return ((bits >> BigInt(i)) & 1n) === 1n;
}

function bitsWhere(flags: readonly boolean[]): bigint {
  return flags.reduce((bits, isSet, i) => (isSet ? bits | (1n << BigInt(i)) : bits), 0n);
}

function count(bits: bigint): number {
  return bits.toString(2).replaceAll('0', '').length;
}
