import type { Feed, NewEvent } from '../kernel/event.ts';
import type { Actor } from '../kernel/principal.ts';
import type { Sql } from './sql.ts';

export interface Query {
  get<R>(statement: Sql): Promise<R | undefined>;
  all<R>(statement: Sql): Promise<R[]>;
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
  engine: 'sqlite' | 'postgres';
  /** Several hubs may be at one database, each with settings of its own. */
  isShared: boolean;
  /** Ends a `select` that picks a row for an update: rows that others are taking are passed over. */
  skipLocked: Sql;
  /** Ends a `select` whose rows the unit goes on to change. */
  forUpdate: Sql;
  /** The same, and others may refer to those rows meanwhile. */
  forChange: Sql;
  /** Units that write take turns: they never wait for a row of each other. */
  hasOneWriter: boolean;
  /** Compares with a list. One parameter, so that the statement's text does not depend on how many there are. */
  isOneOf(numbers: readonly number[]): Sql;
  isOneOfTexts(texts: readonly string[]): Sql;
  /** The same list as a table. */
  numbersIn(numbers: readonly number[]): Sql;
}>;
