import { Command } from 'commander';
import { initTokenCommand } from './init-token.ts';
import { type Options, withDatabase } from './options.ts';
import { serveListen } from './serve-listen.ts';
import type { World } from './world.ts';

/** The hub as one MCP server: on stdin and stdout, or with `--listen` as an HTTP gateway. */
export function serveCommand(world: World): Command {
  const command = withDatabase(new Command('serve').description('serve the whole hub as one MCP server on stdin and stdout'))
    .enablePositionalOptions()
    .option('--profile <name>', 'default, extended, full, lean, or one of config.yaml')
    .option('--listen <address>', 'serve HTTP on host:port or :port instead, until Ctrl-C')
    .option('--token-file <path>', 'the file that holds the bearer token (`token` in HOLDFAST_HOME)')
    .option('--mcp-http', 'with --listen: serve MCP at /mcp, too')
    .option('--no-auth', 'with --listen, on loopback: ask for no token')
    .option('--i-know', 'with --no-auth: also beyond loopback')
    .option('--allow-host <name...>', 'with --listen: further Host names to answer to, such as that of the proxy in front')
    .action((options: Options) => serve(world, options));
  command.addCommand(initTokenCommand(world));
  return command;
}

async function serve(world: World, options: Options): Promise<void> {
  if (typeof options['listen'] === 'string') return serveListen(world, options);
  const { profile, database } = options;
  await world.serveStdio('hub', [...flag('--profile', profile), ...flag('--database', database)]);
}

function flag(name: string, value: Options[string]): string[] {
  return typeof value === 'string' ? [name, value] : [];
}
