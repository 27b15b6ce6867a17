import { Command } from 'commander';
import type { World } from './world.ts';

/** The same as the bin of that server, for machines that have `holdfast` on their path and nothing else. */
export function mcpCommand(world: World): Command {
  return new Command('mcp')
    .description('serve one MCP server on stdin and stdout, e.g. `holdfast mcp tasks`')
    .argument('<server>', 'tasks')
    .option('--profile <name>', 'default, or extended for every tool we have')
    .action((server: string, { profile }: { profile?: string }) =>
      world.serveStdio(server, profile === undefined ? [] : ['--profile', profile]),
    );
}
