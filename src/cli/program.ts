import { Command, CommanderError } from 'commander';
import { toHubError } from '../kernel/errors.ts';
import { VERSION } from '../kernel/version.ts';
import { approvalsCommand } from './approvals.ts';
import { exportCommand, importCommand } from './archive.ts';
import { auditCommand } from './audit.ts';
import { backupCommand, restoreCommand } from './backup.ts';
import { boardCommand } from './board.ts';
import { brainCommand } from './brain.ts';
import { connectCommand } from './connect.ts';
import { disconnectCommand } from './disconnect.ts';
import { chatCommand } from './chat.ts';
import { doctorCommand } from './doctor.ts';
import { exitCodeFor, QuietExit } from './exit.ts';
import { grantsCommand } from './grants.ts';
import { hooksCommand } from './hooks.ts';
import { mcpCommand } from './mcp.ts';
import { memoryCommand } from './memory.ts';
import { peerCommand } from './peer.ts';
import { policyCommand } from './policy.ts';
import { serveCommand } from './serve.ts';
import { statusCommand } from './status.ts';
import { tokenCommand } from './token.ts';
import { upCommand } from './up.ts';
import type { World } from './world.ts';

const USAGE_ERROR = 2;

/** Parses, runs one command and answers its exit code. Whatever is thrown is said once, here. */
export async function runCli(args: readonly string[], world: World): Promise<number> {
  const program = createProgram(world);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : USAGE_ERROR;
    if (thrown instanceof QuietExit) return thrown.exitCode;
    const error = toHubError(thrown);
    const { hint: _, ...details } = error.details;
    if (args.includes('--json')) world.print(JSON.stringify({ error: error.message, code: error.code, hint: error.hint, details }));
    else world.tell(`holdfast: ${error.message}\n  ${error.hint}`);
    if (error.code === 'internal' && error.cause instanceof Error) world.tell(error.cause.stack ?? error.cause.message);
    return exitCodeFor(error.code);
  }
}

/** In the order in which a person meets them. */
const GROUPS = {
  'The hub:': [upCommand, statusCommand, doctorCommand],
  'Clients:': [connectCommand, disconnectCommand, tokenCommand, hooksCommand, mcpCommand, serveCommand],
  'Rooms:': [boardCommand, memoryCommand, brainCommand, chatCommand, peerCommand],
  'Governed tools:': [approvalsCommand, grantsCommand, policyCommand, auditCommand],
  'Safe-keeping:': [backupCommand, restoreCommand, exportCommand, importCommand],
} as const;

export function createProgram(world: World): Command {
  const program = new Command('holdfast')
    .description('One local hub for every coding agent you run.')
    .version(VERSION)
    .commandsGroup('The hub:');
  for (const [heading, builders] of Object.entries(GROUPS)) {
    for (const build of builders) program.addCommand(build(world).helpGroup(heading));
  }
  for (const command of [program, ...program.commands.flatMap((child) => [child, ...child.commands])]) {
    command
      .exitOverride()
      .showHelpAfterError('(run with --help to see what is possible)')
      .configureOutput({ writeOut: (text) => world.print(text.trimEnd()), writeErr: (text) => world.tell(text.trimEnd()) });
  }
  return program;
}
