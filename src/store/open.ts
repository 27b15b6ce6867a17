import { systemClock, type Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { silentLog, type Log } from '../kernel/log.ts';
import type { Database } from './database.ts';

export type OpenOptions = Readonly<{
  clock: Clock;
  /** The id of this hub, written into its events. */
  hub: string;
  log: Log;
  /** Most units in one commit. */
  maxBatch?: number;
  /** Most units waiting; beyond that a write is refused as busy. */
  maxQueue?: number;
  /** How long a write waits for writers of other processes. */
  patienceMs?: number;
  /** PostgreSQL: the schema that holds our tables. */
  schema?: string;
  /** PostgreSQL: connections used at once. */
  poolSize?: number;
}>;

export function isPostgres(location: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(location);
}

/** Opens a SQLite file or a PostgreSQL URL, migrating it first. Each engine is loaded only when it is used. */
export async function openDatabase(location: string, options: Partial<OpenOptions> = {}): Promise<Database> {
  const full: OpenOptions = { clock: systemClock, hub: newId(), log: silentLog, ...options };
  if (isPostgres(location)) {
    const { openPostgres } = await import('./dialects/postgres/database.ts');
    return openPostgres(location, full);
  }
  const { openSqlite } = await import('./dialects/sqlite/database.ts');
  return openSqlite(location, full);
}
