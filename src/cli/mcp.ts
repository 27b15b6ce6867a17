import { Argument, Command } from 'commander';
import { SERVER_IDS } from '../features/attach/attachment.ts';
import { argumentsOf, DATABASE, type Options } from './options.ts';
import { teamToServe, withNew } from './project-of.ts';
import type { World } from './world.ts';

/** The same as the bin of that server, for machines that have `holdfast` on their path and nothing else. */
export function mcpCommand(world: World): Command {
  return withNew(new Command('mcp'))
    .description('serve one MCP server on stdin and stdout, such as `holdfast mcp tasks`')
    .addArgument(new Argument('<server>', 'which one').choices(Object.keys(SERVER_IDS)))
    .option('--profile <name>', 'default, or extended for the tools beyond the documented ones')
    .option('--database <location>', DATABASE)
    .option(
      '--bind <parameters>',
      "who the caller is, as on an attach URL: 'scopeTeamId=red&scopeAgentId=ada'",
    )
    .option('--agent <name>', 'who the caller is, for good')
    .option('--project, --team <id>', 'the project of what names none, instead of that of this folder')
    .action(async (server: string, options: Options) => {
      await teamToServe(world, options);
      await world.serveStdio(server, [
        '--here',
        ...argumentsOf(options, ['profile', 'database', 'bind', 'agent', 'team']),
      ]);
    });
}
