import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { BatchFacts } from '../kernel/observer.ts';

/** How a database is opened, whatever its engine. */
export type OpenOptions = Readonly<{
  clock: Clock;
  /** PostgreSQL: keeps the server's time; unless said otherwise when no clock was injected. */
  followsServer?: boolean;
  /** The id of this hub, written into its events. */
  hub: string;
  log: Log;
  /** Most units in one commit. */
  maxBatch?: number;
  /** Most units waiting; beyond that a write is refused as busy. */
  maxQueue?: number;
  /** How long a write waits for writers of other processes. */
  patienceMs?: number;
  /** Told of every batch that is on disk. */
  onBatch?(facts: BatchFacts): void;
  /** PostgreSQL: the schema that holds our tables. */
  schema?: string;
  /** PostgreSQL: connections used at once. */
  poolSize?: number;
}>;
