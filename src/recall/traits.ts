import type { Analysis } from './analyse/analyse.ts';
import type { Traits } from './postings.ts';

const QUESTION = 1;
const TEMPORAL = 2;
const NUMBER = 4;
const TURN = 8;
const SELF = 16;
const NAME = 32;

/** An item's yes-or-no features as one small number. */
export function packTraits(analysis: Analysis, isNamedEpisode: boolean): number {
  const isTurn = isNamedEpisode || analysis.speakers.length > 0;
  return (
    (isTurn ? TURN : 0) |
    (analysis.isQuestion ? QUESTION : 0) |
    (analysis.isTemporal ? TEMPORAL : 0) |
    (analysis.hasNumber ? NUMBER : 0) |
    (analysis.hasName ? NAME : 0) |
    (analysis.isAboutSelf ? SELF : 0)
  );
}

export function unpackTraits(packed: number, date: string): Traits {
  return {
    isQuestion: (packed & QUESTION) !== 0,
    isTemporal: (packed & TEMPORAL) !== 0,
    hasNumber: (packed & NUMBER) !== 0,
    hasName: (packed & NAME) !== 0,
    isAboutSelf: (packed & SELF) !== 0,
    isTurn: (packed & TURN) !== 0,
    date,
  };
}
