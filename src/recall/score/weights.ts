/**
 * What each signal may add to a score. Signals are normalised to 0…1 first, so a weight is the most its signal can do;
 * priors stay small beside the words, because a prior that can outweigh evidence hides memories.
 */

/** For notes: what stands by itself and is found by its own words. Chosen on software notes. */
export const NOTE_WEIGHTS = {
  /** The words of the item itself. */
  item: 1,
  /** How likely a text like it is to hold the question. */
  likely: 0.7,
  /** How much of the question it has, by rarity, however often: one word many times is not many words. */
  coverage: 0.2,
  /** Two words of the question stand together here as they do there. */
  phrase: 0.08,
  /** Has a word in title or topics that the best hits have there as well: those answer each other's questions. */
  topic: 0.2,
  /** Has many words in common with the best hits: how much of what it is behind them it makes up, per likeness. */
  company: 3,
  /** The question asks when, and the note tells a time. */
  moment: 0.2,
  /** Similar in meaning, as an embedding model tells, as far as words leave it open. */
  vector: 1.25,
} as const;

/** For turns of a dialogue, which are understood by what was said before. */
export const TURN_WEIGHTS = {
  item: 1,
  /** The item read together with the three before it and the one after: what is told follows what it is about. */
  window: 0.4,
  /** The stretch of the episode it belongs to. */
  episode: 0.5,
  /** About the same matter, with what stands around it, whatever its words: as far as vectors of single words tell. */
  sense: 2,
  /** How much of the question the window covers. */
  coverage: 0.2,
  phrase: 0.5,
  /** Own scores of the two items before. */
  before: [0.4, 0.4],
  /** The item before asked just that: this one may be the answer. */
  answer: 0.9,
  /** Somebody named in the question said it. */
  speaker: 0.8,
  /** … and about themselves rather than about whom they talk to. */
  self: 0.2,
  /** Somebody named in the question takes part in the episode. Tells conversations apart in a shared store. */
  party: 1.8,
  date: 0.9,
  /** Has words of time, and the question asks when. */
  temporal: 0.7,
  /** … and they say when: last week rather than the week. */
  moment: 0.6,
  /** Has a number, and the question asks how many. */
  number: 0.4,
  /** Asks rather than tells. */
  question: -0.2,
  /** Who says more tells more. */
  length: 1.2,
} as const;

/** Most a caller's own prior (credit, salience) may add or take. */
export const PRIOR_LIMIT = 0.2;

export type SignalName = keyof typeof NOTE_WEIGHTS | keyof typeof TURN_WEIGHTS | 'prior' | 'lead' | 'learnt';

/** Points per signal; their sum is the raw score. */
export type ScoreParts = Readonly<Partial<Record<SignalName, number>>>;
