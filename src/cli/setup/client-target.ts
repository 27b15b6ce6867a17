import { resolve } from 'node:path';
import { Argument, type Command, InvalidArgumentError } from 'commander';
import { isServerKey, SERVER_IDS, type ServerKey } from '../../features/attach/attachment.ts';
import { isInRepository } from '../../features/attach/entry.ts';
import { clientFile } from '../../features/attach/files/client-files.ts';
import type { ClientTarget } from '../../features/attach/files/connection.ts';
import { shellWord } from '../../kernel/shell-word.ts';
import { isRuntime, RUNTIMES, type Runtime } from '../../features/attach/runtimes.ts';
import type { Config } from '../../kernel/config.ts';
import { type Options, withDatabase } from '../options.ts';
import type { World } from '../world.ts';

/** What `connect` and `disconnect` have in common: a client, a server, and the file where the two meet. */
export function withClientFile(command: Command): Command {
  return withDatabase(command)
    .addArgument(new Argument('<client>').choices(RUNTIMES).argParser(readClient))
    .option(
      '--server <name>',
      `${Object.keys(SERVER_IDS).join(', ')} (hub: everything in one)`,
      readServer,
      'hub',
    )
    .option('--project', 'in the file of this folder instead of your own')
    .option('--file <path>', 'in this settings file')
    .option('--dry-run', 'show the change and make none');
}

export function targetOf({ world, config }: Around, client: Runtime, options: Options): ClientTarget {
  const server = options['server'] as ServerKey;
  const around = { env: world.env, cwd: world.cwd, platform: process.platform };
  const usual = clientFile(client, options['project'] ? 'project' : 'user', around);
  const file = typeof options['file'] === 'string' ? resolve(world.cwd, options['file']) : usual.file;
  return { ...usual, file, id: SERVER_IDS[server], home: config.home, name: `${client}-${server}` };
}

type Around = Readonly<{ world: World; config: Config }>;

/**
 * Does the file go to others with the folder it lies in? One's own settings do not, even when the whole
 * home is a repository.
 */
export function isShared(target: ClientTarget, { project, file }: Options): boolean {
  return project === true || (typeof file === 'string' && isInRepository(target.file));
}

/** The options that `disconnect` needs in order to find what `connect` did with these. */
export function optionsToUndo({ server, project, file }: Options): string {
  const given = [
    ...(server === 'hub' ? [] : ['--server', String(server)]),
    ...(project === true ? ['--project'] : []),
    ...(typeof file === 'string' ? ['--file', shellWord(file)] : []),
  ];
  return given.map((word) => ` ${word}`).join('');
}

function readClient(text: string): Runtime {
  if (isRuntime(text)) return text;
  throw new InvalidArgumentError(`Known: ${RUNTIMES.join(', ')}.`);
}

function readServer(text: string): ServerKey {
  if (isServerKey(text)) return text;
  throw new InvalidArgumentError(`Known: ${Object.keys(SERVER_IDS).join(', ')}.`);
}
