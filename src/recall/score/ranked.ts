import type { IndexedItem } from '../postings.ts';
import { PRIOR_LIMIT, type ScoreParts } from './weights.ts';

export type Ranked = Readonly<{
  item: IndexedItem;
  score: number;
  parts: ScoreParts;
  /** Share of the question, by weight, that the item has (a turn: it and those around it). */
  covered: number;
}>;

export function boundedPrior(number: number, prior: ((number: number) => number) | undefined): ScoreParts {
  const given = prior?.(number) ?? 0;
  return given === 0 || Number.isNaN(given)
    ? {}
    : { prior: Math.max(-PRIOR_LIMIT, Math.min(PRIOR_LIMIT, given)) };
}
