/** What ranking needs to know of an index. Implemented in memory, on SQLite and on PostgreSQL; all three rank alike. */
export interface Postings {
  /** For each term the numbers of the items that have it, ascending, already filtered by scope. */
  lists(terms: readonly string[]): Promise<readonly (readonly number[])[]>;
  size(): Promise<IndexSize>;
  /** Those of the numbers that exist, in any order. */
  load(numbers: readonly number[]): Promise<readonly IndexedItem[]>;
}

/** How much the caller can see. */
export type IndexSize = Readonly<{ items: number; terms: number; stretches: number }>;

export type IndexedItem = Readonly<{
  number: number;
  /** The owner's id for it. */
  id: string;
  /** The analysed words with repeats, joined by a space. */
  terms: string;
  /** How many they are. */
  length: number;
  traits: Traits;
}>;

export type Traits = Readonly<{
  isQuestion: boolean;
  isTemporal: boolean;
  hasNumber: boolean;
  tellsWhen: boolean;
  isAboutSelf: boolean;
  /** How many of its words, the last ones, stand in sentences that ask. */
  asked: number;
  /** Part of a conversation or of an episode somebody named. */
  isTurn: boolean;
  date: string;
}>;
