import { join } from 'node:path';
import { holdfastCommand } from '../../features/attach/entry.ts';
import type { Config } from '../../kernel/config.ts';
import { defaultHome, isPostgresUrl } from '../../kernel/site.ts';
import type { HookCommand } from './packs.ts';

/**
 * The command of a hook in one's own settings: this very installation, and the database where it is not the
 * usual one.
 */
export function hookCommandOf(config: Config): HookCommand {
  return { holdfast: holdfastCommand(), options: databaseWords(config) };
}

/**
 * A client runs its hooks without the variables of this terminal, so another database has to be named. A URL
 * may hold a password.
 */
export function databaseWords({ database }: Config): string[] {
  const isUsual = isPostgresUrl(database) || database === join(defaultHome(), 'holdfast.db');
  return isUsual ? [] : ['--database', database];
}
