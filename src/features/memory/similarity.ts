/** Items that only meaning recommends, beside those that words find. */
const CONSIDERED = 100;

/** Cosines of one model lie close together: the nearest is worth one, the last of those considered nothing. */
export function spread(similarity: ReadonlyMap<number, number>): Map<number, number> {
  const nearest = [...similarity].slice(0, CONSIDERED);
  const best = nearest[0]![1];
  const worst = nearest.at(-1)![1];
  return new Map(
    nearest.map(([number, cosine]) => [number, best === worst ? 1 : (cosine - worst) / (best - worst)]),
  );
}
