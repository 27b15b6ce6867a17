import { type Config, resolveConfig } from '../../kernel/config.ts';
import { canWrite, closing, isOpenToOthers, modeOf } from './machine.ts';
import { nameOf } from '../up/up.ts';
import type { Finding } from './finding.ts';

/** The database of a hub: whole, ours, of a schema we know, and reached by whoever should reach it. */
export async function examineSqlite({ database }: Config): Promise<Finding> {
  const check = 'database';
  if (modeOf(database) === undefined)
    return { check, state: 'ok', found: `${database} will be made by the first start` };
  const { inspectSqlite } = await import('../../store/dialects/sqlite/inspect.ts');
  const { refuseSecondName } = await import('../../store/dialects/sqlite/file.ts');
  refuseSecondName(database);
  const { schema, counts, deadJobs } = inspectSqlite(database);
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const found = `${database}: whole, schema ${schema}${await nextSchema(schema)}, ${rows} rows`;
  if (!canWrite(database))
    return {
      check,
      state: 'fail',
      found: `${database} cannot be written to`,
      mend: `chmod u+rw ${database}`,
    };
  if (isOpenToOthers(database))
    return {
      check,
      state: 'warn',
      found: `${found}; other users can read it`,
      mend: `chmod 600 ${database}`,
      fix: closing([database], 0o600),
    };
  if (deadJobs > 0) {
    const mend = "Read why in the hub's log, or in last_error of the table jobs.";
    return { check, state: 'warn', found: `${found}; ${deadJobs} jobs failed for good`, mend };
  }
  return { check, state: 'ok', found };
}

export async function examinePostgres(config: Config): Promise<Finding> {
  const { inspectPostgres } = await import('../../store/dialects/postgres/inspect.ts');
  const { server, schema } = await inspectPostgres(config.database, config.databaseSchema);
  const state = schema === 0 ? 'empty' : `schema ${schema}`;
  return {
    check: 'database',
    state: 'ok',
    found: `${nameOf(config)}: PostgreSQL ${server}, ${state}${await nextSchema(schema)}`,
  };
}

async function nextSchema(found: number): Promise<string> {
  const { latestSchema } = await import('../../store/migrations/list.ts');
  return found < latestSchema ? ` (the next start makes it ${latestSchema})` : '';
}

/** One hub at a time owns a SQLite file. Its record tells who does; the lock tells the truth. */
export async function examineLock({ database }: Config, isHubAlive: boolean): Promise<Finding> {
  const { isHubLocked, lockPath } = await import('../../store/dialects/sqlite/hub-lock.ts');
  if (!isHubLocked(database)) return { check: 'lock', state: 'ok', found: 'free' };
  if (isHubAlive) return { check: 'lock', state: 'ok', found: 'held by the hub' };
  return {
    check: 'lock',
    state: 'fail',
    found: `${lockPath(database)} is held by a process that does not answer`,
    mend: `Find it with: fuser ${lockPath(database)}. It may be a hub that is starting or stopping; otherwise end it.`,
  };
}

/** An attached client knows the home and little else: what it opens with that alone should be the same database. */
export async function examineClients(config: Config): Promise<Finding> {
  const bare = await resolveConfig({ env: {}, home: config.home });
  if (bare.database === config.database)
    return { check: 'clients', state: 'ok', found: 'the home names this database' };
  return {
    check: 'clients',
    state: 'warn',
    found: `a client that is told only HOLDFAST_HOME opens ${nameOf(bare)} instead`,
    mend: `Write \`database: <the URL>\` into ${config.home}/config.yaml, or give clients HOLDFAST_DATABASE_URL.`,
  };
}
