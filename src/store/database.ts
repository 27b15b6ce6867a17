// What the database can do for everybody above it, and the few things that each engine spells in its own way.
import type { Feed, NewEvent } from '../kernel/event.ts';
import type { Actor } from '../kernel/principal.ts';
import type { Sql } from './sql.ts';

export interface Query {
  get<R>(statement: Sql): Promise<R | undefined>;
  all<R>(statement: Sql): Promise<R[]>;
  /**
   * What `read` answered under this key for as long as nobody has written anything: for what every call asks and few change. An
   * engine that cannot tell reads each time, and so does a unit that writes.
   */
  kept<T>(key: string, read: () => Promise<T>): Promise<T>;
  readonly dialect: Dialect;
}

/** The capability to write. Revoked when its unit ends. */
export interface Tx extends Query {
  /** One instant for the whole unit, by the database's clock. */
  readonly now: number;
  readonly actor: Actor;
  /** Runs a statement and answers the number of rows it changed. */
  run(statement: Sql): Promise<number>;
  /** Buffered, and written last together with the counter, so that `seq` is the commit order. */
  emit(event: NewEvent): void;
  /** Serialises units that guard one invariant over several rows. Held until the unit ends. */
  lock(name: string): Promise<void>;
  /** A savepoint: what fails inside is undone and rethrown. The only place where a failed statement may be survived. */
  attempt<T>(unit: (tx: Tx) => Promise<T>): Promise<T>;
}

/** The first answer is kept under `key`; the same key with another `hash` is refused. The answer must be plain JSON. */
export type Once = Readonly<{ key: string; hash: string }>;

export interface Database {
  readonly engine: 'sqlite' | 'postgres';
  readonly dialect: Dialect;
  readonly feed: Feed;
  /** The number of the newest migration this database has. */
  readonly schema: number;
  /** By the database's clock: what `tx.now` would be. */
  now(): number;
  /** What has passed: for whatever is measured in memory, since nobody sets it back or ahead. */
  elapsed(): number;
  /** One snapshot for the whole unit. */
  read<T>(unit: (q: Query) => Promise<T>): Promise<T>;
  /** The only way to change anything. Resolves once it is on disk. A unit may run twice and awaits nothing but its own statements. */
  write<T>(actor: Actor, unit: (tx: Tx) => Promise<T>, once?: Once): Promise<T>;
  /** The same for what nobody waits for: SQLite writes it together with what comes next, or by itself after a moment. */
  writeSoon<T>(actor: Actor, unit: (tx: Tx) => Promise<T>): Promise<T>;
  /** Resolves once everything that was left to `writeSoon` is on disk. */
  flush(): Promise<void>;
  /** What keeps it from saving now, in one sentence; undefined when nothing is known to. */
  trouble(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** The few places where the engines' SQL differs. */
export type Dialect = Readonly<{
  /** Several hubs may be at one database, each with settings of its own, and write to it at once. */
  isShared: boolean;
  /** The server may have extensions, pgvector among them. */
  hasExtensions: boolean;
  /** Ends a `select` that picks a row for an update: rows that others are taking are passed over. */
  skipLocked: Sql;
  /** Ends a `select` whose rows the unit goes on to change. */
  forUpdate: Sql;
  /** The same, and others may refer to those rows meanwhile. */
  forChange: Sql;
  /** Compares with a list. One parameter, so that the statement's text does not depend on how many there are. */
  isOneOf(numbers: readonly number[]): Sql;
  isOneOfTexts(texts: readonly string[]): Sql;
  /** The same list as a table. */
  numbersIn(numbers: readonly number[]): Sql;
  /** Full text of recall's items. */
  words: WordIndex;
  /** Full text of the turns of sessions. */
  turnWords: TurnIndex;
  /** Tables as they are, for carrying a whole hub from one engine to the other. */
  schema: SchemaReader;
}>;

/**
 * The full text of recall's items, which each engine keeps in a way of its own. Both get the same analysed words and are
 * asked for one word at a time, so both answer the same lists; nothing here ranks.
 */
export interface WordIndex {
  /** What stands in the item's own row, where that is where its words are. */
  column(words: readonly string[]): Readonly<{ name: Sql; value: Sql }>;
  /** In the unit that inserted the item. */
  add(tx: Tx, number: number, words: readonly string[]): Promise<void>;
  /** `before`, and what `remove` gets, must be exactly the words that were added: an index need not keep a copy. */
  replace(
    tx: Tx,
    number: number,
    words: Readonly<{ before: readonly string[]; after: readonly string[] }>,
  ): Promise<void>;
  remove(tx: Tx, number: number, words: readonly string[]): Promise<void>;
  /** For items that came from another database: all words go, and come back item by item. */
  empty(tx: Tx): Promise<void>;
  refill(tx: Tx, number: number, words: readonly string[]): Promise<void>;
  /** For each word the numbers of the items that have it, ascending. */
  reader(q: Query, within: WithinWords): WordReader;
}

/** The words and marks of `transcript_turns`. Each engine takes text apart itself: there is too much of it to do so here. */
export interface TurnIndex {
  /** Rows that are there and not in the index yet. */
  add(tx: Tx, numbers: readonly number[]): Promise<void>;
  /** Before the rows change or go. */
  remove(tx: Tx, numbers: readonly number[]): Promise<void>;
  /** Their numbers, newest first; there is at least a word or a mark. */
  newest(q: Query, wanted: WantedTurns): Promise<readonly number[]>;
}

export type WantedTurns = Readonly<{
  words: readonly string[];
  /** Each may be written in several ways, each of which may be several words; a word that it takes like any other. */
  spelt?: readonly (readonly (readonly string[])[])[];
  /** Which of the words it takes. */
  takes: 'all' | 'any';
  /** One of each. */
  marks: readonly (readonly string[])[];
  /** Only turns with a lower number. */
  below?: number | undefined;
  most: number;
}>;

/**
 * A word as it is looked for: whole, or only its beginning. `root` is the beginning that is asked for next if the word is
 * rare; an unlikely one is there so seldom that the first question is whether any of them is: it says how all such words begin.
 */
export type WantedWord = Readonly<{
  word: string;
  isPrefix: boolean;
  unlikely?: string | undefined;
  root?: string | undefined;
  /** Words that have to be there as well. */
  beside?: readonly string[];
  /** Of a longer list the first so many are enough, where reading the rest takes long. */
  most?: number | undefined;
}>;

/** `having`: how many have the word; more than `numbers` where the list was cut off, and then an estimate. */
export type FoundWord = Readonly<{ numbers: readonly number[]; having: number }>;

/** `among`: only these numbers are asked about, each of which has one of the words or may have. */
export type WordReader = (
  words: readonly WantedWord[],
  among?: readonly number[],
) => Promise<readonly FoundWord[]>;

type WithinWords = Readonly<{
  /** The numbers that matter, which only spare work; undefined: there are none. */
  bounds(): Promise<readonly [from: number, to: number] | undefined>;
  /** So few items have a rare word. */
  rare: number;
}>;

/** A table and one of its columns. */
export type TableColumn = Readonly<{ name: string; field: string }>;

export interface SchemaReader {
  /** Columns of this engine alone, and what stands in them until whoever owns them fills them: no row may be without. */
  readonly ownColumns: Readonly<Record<string, Readonly<Record<string, Sql>>>>;
  /** Stands before `values` where numbers come along that the database would hand out itself. */
  readonly withNumbers: Sql;
  /** Table by table, in the order in which they stand. */
  columns(q: Query): Promise<TableColumn[]>;
  /** The primary key, or the first unique index where there is none. */
  keys(q: Query): Promise<TableColumn[]>;
  /** Puts references between rows aside. What it answers takes them up again, which checks every one of them. */
  suspendReferences(tx: Tx): Promise<() => Promise<void>>;
}
