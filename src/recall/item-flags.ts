import type { Analysis } from './analyse/analyse.ts';
import type { ItemFlags } from './postings.ts';

const QUESTION = 1;
const TEMPORAL = 2;
const NUMBER = 4;
const NAMED_EPISODE = 8;
const SELF = 16;
const WHEN = 32;
const SPOKEN = 64;
const PROCEDURE = 128;
/** Above the flags: how many of the item's words ask, then how many letters are the title's, and how many the title's and the topics'. */
const ASKED_UNIT = 256;
const MAX_ASKED = 2 ** 15 - 1;
const TALK = 2 ** 23;
const TITLE_UNIT = 2 ** 24;
const HEAD_UNIT = 2 ** 34;
const MAX_LETTERS = 2 ** 10 - 1;

export type FiledAs = Readonly<{ isNamedEpisode: boolean; isProcedure: boolean }>;

/** What ranking knows of an item beside its words, as one number. */
export function packFlags(analysis: Analysis, { isNamedEpisode, isProcedure }: FiledAs): number {
  const flags =
    (isNamedEpisode ? NAMED_EPISODE : 0) |
    (analysis.isSpoken ? SPOKEN : 0) |
    (analysis.isTalk ? TALK : 0) |
    (isProcedure ? PROCEDURE : 0) |
    (analysis.isQuestion ? QUESTION : 0) |
    (analysis.isTemporal ? TEMPORAL : 0) |
    (analysis.hasNumber ? NUMBER : 0) |
    (analysis.tellsWhen ? WHEN : 0) |
    (analysis.isAboutSelf ? SELF : 0);
  const asked = Math.min(analysis.asked, MAX_ASKED) * ASKED_UNIT;
  const title = Math.min(analysis.titleLetters, MAX_LETTERS) * TITLE_UNIT;
  return flags + asked + title + Math.min(analysis.headLetters, MAX_LETTERS) * HEAD_UNIT;
}

export function unpackFlags(packed: number, date: string): ItemFlags {
  const low = packed % TITLE_UNIT;
  return {
    isQuestion: (low & QUESTION) !== 0,
    isTemporal: (low & TEMPORAL) !== 0,
    hasNumber: (low & NUMBER) !== 0,
    tellsWhen: (low & WHEN) !== 0,
    isAboutSelf: (low & SELF) !== 0,
    isSpoken: (low & SPOKEN) !== 0,
    isTalk: (low & TALK) !== 0,
    isNamedEpisode: (low & NAMED_EPISODE) !== 0,
    isProcedure: (low & PROCEDURE) !== 0,
    asked: Math.floor((low % TALK) / ASKED_UNIT),
    titleLetters: Math.floor((packed % HEAD_UNIT) / TITLE_UNIT),
    headLetters: Math.floor(packed / HEAD_UNIT),
    date,
  };
}
