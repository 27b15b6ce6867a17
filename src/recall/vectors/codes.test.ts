import { describe, expect, it } from 'vitest';
import { appendCode, createCodes, meanOf, nearest, refine } from './codes.ts';

/** Low-rank data with a mean offset, as embeddings are: harder for codes than clusters. */
function embeddings(count: number, dims: number, rank: number): Float32Array[] {
  let state = 5;
  const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32 - 0.5;
  const basis = Array.from({ length: rank }, () => Float32Array.from({ length: dims }, random));
  return Array.from({ length: count }, () => {
    const weights = Array.from({ length: rank }, () => random() + random() + random());
    const vector = Float32Array.from(
      { length: dims },
      (_, i) => 0.8 + basis.reduce((sum, direction, k) => sum + direction[i]! * weights[k]!, 0),
    );
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  });
}

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

describe('one-bit codes', () => {
  const dims = 96;
  const vectors = embeddings(4_000, dims, 24);
  const codes = createCodes(dims, meanOf(vectors, dims));
  for (const vector of vectors) appendCode(codes, vector);
  const trueTop = (query: Float32Array): number[] =>
    vectors
      .map((vector, row) => ({ row, score: dot(query, vector) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, 10)
      .map(({ row }) => row);

  it('have nearly all of the true top ten among the rows that are read exactly', () => {
    let found = 0;
    for (let i = 0; i < 40; i++) {
      const chosen = new Set(
        refine(codes, vectors[i * 97]!, {
          rows: nearest(codes, vectors[i * 97]!, { wanted: 1_000 }),
          wanted: 200,
        }),
      );
      found += trueTop(vectors[i * 97]!).filter((row) => chosen.has(row)).length;
    }
    expect(found / 400).toBeGreaterThanOrEqual(0.98);
  });

  it('look only at rows the reader sees, before anything is cut off', () => {
    const rows = nearest(codes, vectors[0]!, { wanted: 10, sees: (row) => row >= 3_990 });
    expect(rows.toSorted((a, b) => a - b)).toEqual([
      3_990, 3_991, 3_992, 3_993, 3_994, 3_995, 3_996, 3_997, 3_998, 3_999,
    ]);
  });

  it('find a vector by itself', () => {
    expect(nearest(codes, vectors[1_234]!, { wanted: 1 })).toContain(1_234);
  });
});
