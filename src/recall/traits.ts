import type { Analysis } from './analyse/analyse.ts';
import type { Traits } from './postings.ts';

const QUESTION = 1;
const TEMPORAL = 2;
const NUMBER = 4;
const TURN = 8;
const SELF = 16;
const WHEN = 32;
/** Above the features: how many of the item's words ask. */
const ASKED_UNIT = 256;
const MAX_ASKED = 2 ** 16 - 1;

/** What ranking knows of an item beside its words, as one number. */
export function packTraits(analysis: Analysis, isNamedEpisode: boolean): number {
  const isTurn = isNamedEpisode || analysis.speakers.length > 0;
  return (
    (isTurn ? TURN : 0) |
    (analysis.isQuestion ? QUESTION : 0) |
    (analysis.isTemporal ? TEMPORAL : 0) |
    (analysis.hasNumber ? NUMBER : 0) |
    (analysis.tellsWhen ? WHEN : 0) |
    (analysis.isAboutSelf ? SELF : 0) |
    (Math.min(analysis.asked, MAX_ASKED) * ASKED_UNIT)
  );
}

export function unpackTraits(packed: number, date: string): Traits {
  return {
    isQuestion: (packed & QUESTION) !== 0,
    isTemporal: (packed & TEMPORAL) !== 0,
    hasNumber: (packed & NUMBER) !== 0,
    tellsWhen: (packed & WHEN) !== 0,
    isAboutSelf: (packed & SELF) !== 0,
    isTurn: (packed & TURN) !== 0,
    asked: Math.floor(packed / ASKED_UNIT),
    date,
  };
}
