import { Argument, Command } from 'commander';
import { SERVER_IDS } from '../features/attach/attachment.ts';
import type { World } from './world.ts';

/** The same as the bin of that server, for machines that have `holdfast` on their path and nothing else. */
export function mcpCommand(world: World): Command {
  return new Command('mcp')
    .description('serve one MCP server on stdin and stdout, such as `holdfast mcp tasks`')
    .addArgument(new Argument('<server>', 'which one').choices(Object.keys(SERVER_IDS)))
    .option('--profile <name>', 'default, or extended for every tool we have')
    .action((server: string, { profile }: { profile?: string }) =>
      world.serveStdio(server, profile === undefined ? [] : ['--profile', profile]),
    );
}
