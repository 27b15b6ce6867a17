import { closeSync, openSync } from 'node:fs';

import { latestSchema, stepsAfter } from '../../migrations/list.ts';
import { newerSchema } from '../../migrations/refuse.ts';
import { spell } from '../../migrations/spell.ts';
import type { Connection } from './connection.ts';
import { APPLICATION_ID } from './file.ts';

/** Stamps a fresh file as ours, durably in its header, before anything else. */
export function stamp(connection: Connection): void {
  if (connection.pragma('application_id') === APPLICATION_ID) return;
  connection.pragma(`application_id = ${APPLICATION_ID}`);
}

/**
 * Brings the schema up to date in one transaction. Another process may be doing the same, so
 * the version is looked at again once the write lock is held.
 */
export function migrate(connection: Connection, path: string): number {
  const found = schemaOf(connection);
  if (found > latestSchema) throw newerSchema(found, latestSchema);
  if (stepsAfter(found).length === 0) return found;
  if (found > 0) keepCopy(connection, backupPath(path, found));
  connection.raw.exec('begin immediate');
  try {
    const now = schemaOf(connection);
    if (now > latestSchema) throw newerSchema(now, latestSchema);
    for (const step of stepsAfter(now)) connection.raw.exec(spell(step.schema, 'sqlite'));
    connection.pragma(`user_version = ${latestSchema}`);
    connection.raw.exec('commit');
  } catch (thrown) {
    if (connection.inTransaction) connection.raw.exec('rollback');
    throw thrown;
  }
  return latestSchema;
}

/** Made before SQLite fills it: a copy belongs to its owner alone, as the database does. */
function keepCopy(connection: Connection, target: string): void {
  closeSync(openSync(target, 'wx', 0o600));
  connection.raw.prepare('vacuum into ?').run(target);
}

function schemaOf(connection: Connection): number {
  return connection.pragma('user_version') as number;
}

/** A copy from before the migration, kept beside the database. Servers that start together each make their own. */
function backupPath(path: string, schema: number): string {
  return `${path}.schema-${schema}.${new Date().toISOString().replace(/[:.]/g, '-')}-${process.pid}.backup`;
}
