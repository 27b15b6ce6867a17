// Where a hub lives: its home and its database. Known before its settings are read, and loaded by whatever has to be quick.
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { HubError } from './errors.ts';

/** PostgreSQL: the schema that holds our tables. */
export const DEFAULT_SCHEMA = 'holdfast';

export function homeOf(named: string | undefined): string {
  return resolvePath(named || defaultHome());
}

export function defaultHome(): string {
  return join(homedir(), '.holdfast');
}

export function isPostgresUrl(location: string): boolean {
  return /^postgres(ql)?:\/\//.test(location);
}

type DatabaseNamed = Readonly<{
  flag: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** What config.yaml says. */
  file: string | undefined;
  home: string;
}>;

/** The contract's CLAWBOO_DB_PATH comes before our own variable, so that documented attach lines keep their database. */
export function locateDatabase({ flag, env, file, home }: DatabaseNamed): string {
  const location = flag || env['CLAWBOO_DB_PATH'] || env['HOLDFAST_DATABASE_URL'] || file;
  if (location === undefined) return join(home, 'holdfast.db');
  if (isPostgresUrl(location)) return location;
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(location)) {
    const scheme = location.slice(0, location.indexOf(':'));
    throw new HubError(
      'invalid',
      `The database must be a file path or a postgres:// URL; ${scheme}:// is neither.`,
      { scheme },
    );
  }
  return resolvePath(location);
}

/** Attach lines in JSON files are read without a shell, so `~/` is ours to expand. */
export function resolvePath(path: string): string {
  return resolve(atHome(path));
}

/** `~` means what it does in a shell. */
export function atHome(path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
}
