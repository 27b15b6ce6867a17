import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Command } from 'commander';
import { HubError } from '../kernel/errors.ts';
import { makeFolders } from '../kernel/folders.ts';
import { newSecret } from '../kernel/ids.ts';
import { configFrom, type Options, withDatabase } from './options.ts';
import type { World } from './world.ts';

/** The token alone on stdout, so that it can be piped; where it lies on stderr. */
export function initTokenCommand(world: World): Command {
  return withDatabase(new Command('init-token').description('write a fresh bearer token to a file only you can read, and print it'))
    .argument('[path]', 'where to put it (`token` in HOLDFAST_HOME)')
    .option('--token-file <path>', 'the same')
    .action((path: string | undefined, options: Options) => initToken(world, path, options));
}

async function initToken(world: World, path: string | undefined, options: Options): Promise<void> {
  const config = await configFrom(world, options);
  const tokenFile = path === undefined ? config.tokenFile : resolve(path);
  const isReplaced = existsSync(tokenFile);
  const token = writeToken(tokenFile);
  if (options['json']) return world.print(JSON.stringify({ token, tokenFile, replaced: isReplaced }));
  world.print(token);
  world.tell(
    isReplaced ? `Replaced the token in ${tokenFile}. A running hub keeps the former one until it restarts.` : `Wrote ${tokenFile}.`,
  );
}

/** Written beside and renamed, so that no reader ever finds half a token or a file that others can read. */
function writeToken(path: string): string {
  const token = newSecret();
  const draft = `${path}.${process.pid}.${newSecret(4)}`;
  try {
    makeFolders(dirname(path));
    writeFileSync(draft, `${token}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
    throw new HubError('invalid', `${path} cannot be written (${reason}).`, { path, hint: 'Name another file.' }, error);
  }
  return token;
}
