import { systemClock } from '../kernel/clock.ts';
import { isPostgresUrl } from '../kernel/site.ts';
import { newId } from '../kernel/ids.ts';
import { silentLog } from '../kernel/log.ts';
import type { Database } from './database.ts';
import type { OpenOptions } from './options.ts';

export type { OpenOptions } from './options.ts';

/** Opens a SQLite file or a PostgreSQL URL, migrating it first. Each engine is loaded only when it is used. */
export async function openDatabase(location: string, options: Partial<OpenOptions> = {}): Promise<Database> {
  const full: OpenOptions = { clock: systemClock, hub: newId(), log: silentLog, ...options };
  if (isPostgresUrl(location)) {
    const { openPostgres } = await import('./dialects/postgres/database.ts');
    return openPostgres(location, full);
  }
  const { openSqlite } = await import('./dialects/sqlite/database.ts');
  return openSqlite(location, full);
}
