/**
 * What each signal may add to a score. Signals are normalised to 0…1 first, so a weight is the most
 * its signal can do; priors stay small beside the words, because a prior that can outweigh evidence hides memories.
 */
export const WEIGHTS = {
  /** The words of the item itself. */
  item: 1,
  /** The item read together with two neighbours on each side. */
  window: 0.7,
  /** The stretch of the episode it belongs to. */
  episode: 0.5,
  /** How much of the question the window covers. */
  coverage: 0.2,
  /** Own scores of the two items before. What comes after is part of the window, and says less. */
  before: [0.4, 0.4],
  /** Added to `before[0]` when the item before asked something: this one may be the answer. */
  answer: 0.5,
  /** Somebody named in the question said it, or it is a note about them. */
  speaker: 0.8,
  /** … and about themselves rather than about whom they talk to. */
  self: 0.3,
  /** Somebody named in the question takes part in the episode. Tells conversations apart in a shared store. */
  party: 1.2,
  date: 0.9,
  /** Places something in time, and the question asks when. */
  temporal: 0.7,
  /** Has a number, and the question asks how many. */
  number: 0.4,
  /** Names somebody or something, and the question asks who, where or what it is called. */
  name: 0.2,
  /** Asks rather than tells. */
  question: -0.2,
  length: 0.5,
  vector: 0.25,
} as const;

/** Most a caller's own prior (credit, salience) may add or take. */
export const PRIOR_LIMIT = 0.2;

export type SignalName = keyof typeof WEIGHTS | 'prior';

/** Points per signal; their sum is the raw score. */
export type ScoreParts = Readonly<Partial<Record<SignalName, number>>>;
