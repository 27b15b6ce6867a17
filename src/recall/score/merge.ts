import type { Ranked } from './ranked.ts';

/**
 * One order for notes and turns, whose scores cannot be compared: the best of each kind is worth the share of the
 * question it covers, and the others what they are beside it.
 */
export function mergeProfiles(notes: readonly Ranked[], turns: readonly Ranked[]): Ranked[] {
  const merged = turns.length === 0 ? notes : [...scale(notes), ...scale(turns)];
  return merged.toSorted((a, b) => b.score - a.score || b.item.number - a.item.number);
}

function scale(kind: readonly Ranked[]): Ranked[] {
  const best = kind.reduce<Ranked | undefined>(
    (top, one) => (top === undefined || one.score > top.score ? one : top),
    undefined,
  );
  if (!best || best.score <= 0) return [...kind];
  const factor = (0.05 + best.covered) / best.score;
  return kind.map((one) => ({ ...one, score: one.score * factor }));
}
