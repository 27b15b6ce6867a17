/** What ranking needs to know of an index. Implemented in memory, on SQLite and on PostgreSQL; all three rank alike. */
export interface Postings {
  /** For each term the numbers of the items that have it, ascending, already filtered by scope. */
  lists(terms: readonly string[]): Promise<readonly PostingList[]>;
  /**
   * The same for a whole question, where some lists are too long to be read: of such a word only who else has a word of the
   * question, and how many have it. Not where lists are still to be narrowed.
   */
  readonly listsOfQuestion?:
    | ((words: readonly string[], marks: readonly string[]) => Promise<QuestionLists>)
    | undefined;
  /** The same for every term that begins so. */
  listsOfPrefixes(prefixes: readonly string[]): Promise<readonly PostingList[]>;
  size(): Promise<IndexSize>;
  /** What items learnt from use of these terms; none where nothing is learnt. */
  readonly learnt?: ((terms: readonly string[]) => Promise<LearntWords>) | undefined;
  /** Those of the numbers that exist, in any order. */
  load(numbers: readonly number[]): Promise<readonly IndexedItem[]>;
}

/** Numbers of items, ascending. */
export type PostingList = readonly number[];

/** Of the words, then of the marks, which are whole. `having`: how many items have each. */
export type QuestionLists = Readonly<{ lists: readonly PostingList[]; having: readonly number[] }>;

/** For each item the terms it learnt, each with how many taught it. */
export type LearntWords = ReadonlyMap<number, ReadonlyMap<string, number>>;

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
  flags: ItemFlags;
}>;

export type ItemFlags = Readonly<{
  isQuestion: boolean;
  isTemporal: boolean;
  hasNumber: boolean;
  tellsWhen: boolean;
  isAboutSelf: boolean;
  /** How many of its words, the last ones, stand in sentences that ask. */
  asked: number;
  /** Names who said it. A turn of a dialogue if its neighbours do so too. */
  isSpoken: boolean;
  /** Of an occasion, and said as people say things to each other, but nobody is named. */
  isTalk: boolean;
  /** Part of an episode that somebody named. */
  isNamedEpisode: boolean;
  /** A procedure rather than a fact. */
  isProcedure: boolean;
  /** How many letters of `terms`, the first ones, are the title's. */
  titleLetters: number;
  /** The same for title and topics together. */
  headLetters: number;
  date: string;
}>;
