import { Command } from 'commander';
import { HubError } from '../../kernel/errors.ts';
import { argumentsOf, type Options, withDatabase, configFrom } from '../options.ts';
import { teamToServe, withNew } from '../project-of.ts';
import { serveListen } from './serve-listen.ts';
import type { World } from '../world.ts';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { initTokenFile } from '../../kernel/token-file.ts';

/** The hub as one MCP server: on stdin and stdout, or with `--listen` as an HTTP gateway. */
export function serveCommand(world: World): Command {
  const command = withNew(
    withDatabase(
      new Command('serve').description('serve the whole hub as one MCP server on stdin and stdout'),
    ),
  )
    .enablePositionalOptions()
    .option('--profile <name>', 'default, extended, full, lean, or one of config.yaml')
    .option(
      '--workspace <folder>',
      'without a running hub: the folder that file and shell tools may work in, instead of the repository of this folder',
    )
    .option('--agent <name>', 'who the caller is, for good')
    .option('--project, --team <id>', 'the project of what names none, instead of that of this folder')
    .option('--listen <address>', 'serve HTTP on host:port or :port instead, until Ctrl-C')
    .option('--token-file <path>', 'the file that holds the bearer token (`token` in HOLDFAST_HOME)')
    .option('--mcp-http', 'with --listen: serve MCP at /mcp, too')
    .option('--no-auth', 'with --listen, on loopback: ask for no token')
    .option('--i-know', 'with --no-auth: also beyond loopback')
    .option(
      '--allow-host <name...>',
      'with --listen: further Host names to answer to, such as that of the proxy in front',
    )
    .action((options: Options) => serve(world, options));
  command.addCommand(initTokenCommand(world));
  return command;
}

async function serve(world: World, options: Options): Promise<void> {
  if (typeof options['listen'] === 'string') return serveListen(world, options);
  refuseListenOptions(options);
  await teamToServe(world, options);
  await world.serveStdio('hub', [
    '--here',
    ...argumentsOf(options, ['profile', 'database', 'workspace', 'agent', 'team']),
  ]);
}

/** On stdin and stdout they would do nothing, and whoever gave them believes that they do. */
function refuseListenOptions({ mcpHttp, tokenFile, auth, iKnow, allowHost }: Options): void {
  const given = {
    '--mcp-http': mcpHttp,
    '--token-file': tokenFile,
    '--no-auth': auth === false,
    '--i-know': iKnow,
    '--allow-host': allowHost,
  };
  const [misplaced] = Object.entries(given).find(([, value]) => Boolean(value)) ?? [];
  if (misplaced === undefined) return;
  throw new HubError('invalid', `${misplaced} goes with --listen only.`, {
    hint: 'Give an address, such as --listen 127.0.0.1:8080; without one the hub is served on stdin and stdout.',
  });
}

/** The token alone on stdout, so that it can be piped; where it lies on stderr. */
function initTokenCommand(world: World): Command {
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
