// `holdfast backup` and `restore`: the database and the vault as files that are checked before they count.
import { Command } from 'commander';
import { resolve } from 'node:path';
import type { Config } from '../../kernel/config.ts';
import { isPostgresUrl } from '../../kernel/site.ts';
import { HubError } from '../../kernel/errors.ts';
import { configFrom, type Options, withDatabase } from '../options.ts';
import { progressOf, tellLargeCopy } from '../terminal/progress.ts';
import { refuseExisting } from './record-file.ts';
import { nameOf } from '../up/up.ts';
import type { World } from '../world.ts';

type Counts = Readonly<Record<string, number>>;

export function backupCommand(world: World): Command {
  return withDatabase(
    new Command('backup').description(
      'copy the database into one file and the vault into another, while everything goes on',
    ),
  )
    .argument('<file>', 'where to')
    .option('--sessions', 'your sessions with clients as well, with all that was said in them')
    .option('--force', 'replace an older backup of that name')
    .action((file: string, options: Options) => backup(world, file, options));
}

export function restoreCommand(world: World): Command {
  return withDatabase(new Command('restore').description('put a backup in place of the database'))
    .argument('<file>', 'the backup')
    .option('--force', 'replace the present database; it is kept beside the new one')
    .action((file: string, options: Options) => restore(world, file, options));
}

async function backup(world: World, file: string, options: Options): Promise<void> {
  const config = await configFrom(world, options);
  if (isPostgresUrl(config.database))
    throw onPostgres(
      config,
      `pg_dump --format custom --schema ${config.databaseSchema} --file ${file} ${urlFor(world, config)}`,
    );
  const { backupSqlite } = await import('../../store/dialects/sqlite/backup.ts');
  const { backupVault, vaultFileOf } = await import('./backup-vault.ts');
  const isForced = options['force'] === true;
  refuseExisting(vaultFileOf(resolve(file)), options);
  tellLargeCopy(world, options, config.database);
  const counts = backupSqlite(config.database, resolve(file), {
    overwrite: isForced,
    also: options['sessions'] === true ? 'sessions' : undefined,
  });
  const vaultFiles = backupVault(config.vault, resolve(file), progressOf(world, options));
  if (options['json']) return world.print(JSON.stringify({ file: resolve(file), counts, vaultFiles }));
  world.print(
    `Backed up ${config.database} to ${resolve(file)}: ${total(counts)} rows in ${Object.keys(counts).length} tables, checked.`,
  );
  if (vaultFiles > 0) world.print(`The ${vaultFiles} files of the vault are in ${resolve(file)}.vault.`);
}

async function restore(world: World, file: string, options: Options): Promise<void> {
  const config = await configFrom(world, options);
  if (isPostgresUrl(config.database))
    throw onPostgres(
      config,
      `pg_restore --clean --if-exists --single-transaction --dbname ${urlFor(world, config)} ${file}`,
    );
  const { restoreSqlite } = await import('../../store/dialects/sqlite/backup.ts');
  const { prepareVault } = await import('./backup-vault.ts');
  const waiting = prepareVault(resolve(file), config.vault, progressOf(world, options));
  tellLargeCopy(world, options, resolve(file));
  const { counts, replaced } = restoreDatabase();
  const vault = waiting?.takePlace();
  if (options['json'])
    return world.print(JSON.stringify({ database: config.database, counts, replaced, vault }));
  world.print(
    `Restored ${config.database}: ${total(counts)} rows in ${Object.keys(counts).length} tables, the same as in the backup.`,
  );
  if (vault) world.print(`Restored ${vault.files} files of the vault ${config.vault}.`);
  if (replaced) world.tell(`The database that was there is now ${replaced}.`);
  if (vault?.replaced) world.tell(`The vault that was there is now ${vault.replaced}.`);

  function restoreDatabase(): ReturnType<typeof restoreSqlite> {
    try {
      return restoreSqlite(resolve(file), config.database, options['force'] === true);
    } catch (error) {
      waiting?.discard();
      throw error;
    }
  }
}

/** PostgreSQL has its own tools, made for databases that are larger than one machine's patience. */
function onPostgres(config: Config, command: string): HubError {
  return new HubError('invalid', `${nameOf(config)} is a PostgreSQL database; use its own tools.`, {
    hint: `Run: ${command} (or \`holdfast export\`, which takes the vault along)`,
    command,
  });
}

/** As one would write it in a shell; the URL itself may hold a password. */
function urlFor(world: World, { database }: Config): string {
  return world.env['HOLDFAST_DATABASE_URL'] === database ? '"$HOLDFAST_DATABASE_URL"' : '<its URL>';
}

function total(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
