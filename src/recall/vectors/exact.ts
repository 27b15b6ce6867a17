import type { StoredVector } from './rows.ts';

/** Cosine of the nearest of these, by number. Vectors have length one; of equals the newer comes first. */
export function nearestExactly(
  stored: readonly StoredVector[],
  vector: Float32Array,
  limit: number,
): Map<number, number> {
  const comparable = stored.filter((row) => row.vector.length === vector.length);
  const exact = comparable.map((row) => [row.number, dot(vector, row.vector)] as const);
  return new Map(exact.sort((a, b) => b[1] - a[1] || b[0] - a[0]).slice(0, limit));
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
