import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { initTokenFile } from '../kernel/token-file.ts';
import { configFrom, type Options, withDatabase } from './options.ts';
import type { World } from './world.ts';

/** The token alone on stdout, so that it can be piped; where it lies on stderr. */
export function initTokenCommand(world: World): Command {
  return withDatabase(
    new Command('init-token').description(
      'write a fresh bearer token to a file only you can read, and print it',
    ),
  )
    .argument('[path]', 'where to put it (`token` in HOLDFAST_HOME)')
    .option('--token-file <path>', 'the same')
    .action((path: string | undefined, options: Options) => initToken(world, path, options));
}

async function initToken(world: World, path: string | undefined, options: Options): Promise<void> {
  const config = await configFrom(world, options);
  const tokenFile = path === undefined ? config.tokenFile : resolve(path);
  const isReplaced = existsSync(tokenFile);
  const token = initTokenFile(tokenFile);
  if (options['json']) return world.print(JSON.stringify({ token, tokenFile, replaced: isReplaced }));
  world.print(token);
  world.tell(
    isReplaced
      ? `Replaced the token in ${tokenFile}. A running hub keeps the former one until it restarts.`
      : `Wrote ${tokenFile}.`,
  );
}
