import { Command } from 'commander';
import { HubError } from '../kernel/errors.ts';
import { initTokenCommand } from './init-token.ts';
import { argumentsOf, type Options, withDatabase } from './options.ts';
import { teamToServe, withNew } from './project-of.ts';
import { serveListen } from './serve-listen.ts';
import type { World } from './world.ts';

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
