import type { Analysis } from './analyse/analyse.ts';
import type { Traits } from './postings.ts';

const QUESTION = 1;
const TEMPORAL = 2;
const NUMBER = 4;

/** An item's yes-or-no features as one small number. */
export function packTraits(analysis: Pick<Analysis, 'isQuestion' | 'isTemporal' | 'hasNumber'>): number {
  return (analysis.isQuestion ? QUESTION : 0) | (analysis.isTemporal ? TEMPORAL : 0) | (analysis.hasNumber ? NUMBER : 0);
}

export function unpackTraits(packed: number, date: string): Traits {
  return { isQuestion: (packed & QUESTION) !== 0, isTemporal: (packed & TEMPORAL) !== 0, hasNumber: (packed & NUMBER) !== 0, date };
}
