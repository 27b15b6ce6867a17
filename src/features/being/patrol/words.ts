import { termsOf } from '../being-recall.ts';
import type { Told } from '../scene.ts';

/** Memories compared by their words: the cosine of term weights, rare terms counting more. No model, no word list. */
export interface WordSpace {
  /** A direction for a text; texts compare only within one space. */
  of(told: readonly Told[]): WordVector;
}

export type WordVector = ReadonlyMap<string, number>;

export function createWordSpace(corpus: readonly Told[]): WordSpace {
  const documents = corpus.map((told) => new Set(termsOf(told)));
  const frequency = new Map<string, number>();
  for (const terms of documents)
    for (const term of terms) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  const weight = (term: string) => Math.log((1 + documents.length) / (frequency.get(term) ?? 1));
  return {
    of(told) {
      const counts = new Map<string, number>();
      for (const each of told)
        for (const term of termsOf(each)) counts.set(term, (counts.get(term) ?? 0) + 1);
      const weighted = new Map([...counts].map(([term, count]) => [term, Math.sqrt(count) * weight(term)]));
      const length = Math.hypot(...weighted.values());
      return length === 0 ? weighted : new Map([...weighted].map(([term, value]) => [term, value / length]));
    },
  };
}

export function wordCosine(a: WordVector, b: WordVector): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  let sum = 0;
  for (const [term, value] of small) sum += value * (large.get(term) ?? 0);
  return sum;
}
