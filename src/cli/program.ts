// The command line as a whole: every command, its help, and how an error becomes a line and an exit code.
import { Command, CommanderError } from 'commander';
import { HubError, toHubError } from '../kernel/errors.ts';
import { fileFault } from '../kernel/file-faults.ts';
import { VERSION } from '../kernel/version.ts';
import { takeColor } from './color.ts';
import { exitCodeFor, QuietExit } from './exit.ts';
import { isPageable, takePager } from './pager.ts';
import type { World } from './world.ts';

/** The command line as a whole: which commands there are, how a line of words becomes one of them, how errors are said. */
const USAGE_ERROR = 2;

/** Parses, runs one command and answers its exit code. Whatever is thrown is said once, here. */
export async function runCli(given: readonly string[], world: World): Promise<number> {
  const { when, rest: uncolored, problem } = takeColor(given);
  const { isWanted: isPaging, rest } = takePager(uncolored);
  const args = withVerb(jsonLast(rest));
  world.color?.(when);
  world.pager?.(isPaging && isPageable(args));
  try {
    if (problem !== undefined) throw new HubError('invalid', problem);
    const program = await createProgram(world, args[0]);
    if (args.includes('--json'))
      everyCommand(program).forEach((command) => command.configureOutput({ writeErr: () => undefined }));
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      if (thrown.exitCode === 0) return 0;
      if (args.includes('--json')) world.print(JSON.stringify(usageError(thrown)));
      return USAGE_ERROR;
    }
    if (thrown instanceof QuietExit) return thrown.exitCode;
    const error = readable(thrown);
    const { hint: _, ...details } = error.details;
    if (args.includes('--json'))
      world.print(JSON.stringify({ error: error.message, code: error.code, hint: error.hint, details }));
    else world.tell(`holdfast: ${error.message}\n  ${error.hint}`);
    if (error.code === 'internal' && error.cause instanceof Error)
      world.tell(error.cause.stack ?? error.cause.message);
    return exitCodeFor(error.code);
  }
}

/** A file that cannot be read or written is no defect of ours, whatever command met it. */
function readable(thrown: unknown): HubError {
  const fault = thrown instanceof HubError ? undefined : fileFault(thrown);
  if (fault === undefined) return toHubError(thrown);
  const hint = 'Check that the place exists, that you may write there and that its disk has room.';
  return new HubError('unavailable', fault, { hint }).because(thrown);
}

function usageError({ message, code }: CommanderError): object {
  const hint = 'Run with --help to see what is possible.';
  return { error: message.replace(/^error: /, ''), code: 'invalid', hint, details: { usage: code } };
}

/** A noun without a verb shows what there is; nothing at all shows where one stands. */
const VERBS: Readonly<Record<string, string>> = {
  board: 'list',
  memory: 'list',
  brain: 'report',
  chat: 'rooms',
  project: 'list',
  peer: 'list',
  token: 'list',
  approvals: 'list',
  grants: 'list',
  policy: 'check',
  audit: 'list',
  source: 'list',
  being: 'list',
  runs: 'list',
  hooks: 'list',
  keys: 'list',
  land: 'list',
  checks: 'list',
};

/** `holdfast --json board` means `holdfast board --json`. */
function jsonLast(args: readonly string[]): readonly string[] {
  return args[0] === '--json' && args.length > 1 && !args[1]!.startsWith('-')
    ? [...args.slice(1), '--json']
    : args;
}

function withVerb(args: readonly string[]): readonly string[] {
  const [noun, next] = args;
  if (noun === undefined || noun === '--json' || noun === '--database') return ['stand', ...args];
  const isVerbless = next === undefined || (next.startsWith('-') && next !== '--help' && next !== '-h');
  return Object.hasOwn(VERBS, noun) && isVerbless ? [noun, VERBS[noun]!, ...args.slice(1)] : args;
}

function everyCommand(program: Command): Command[] {
  return [program, ...program.commands.flatMap((child) => [child, ...child.commands])];
}

type Builder = (world: World) => Command;

/** In the order in which a person meets them. Each is loaded when it is called: hooks run at every step of a client. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, () => Promise<Builder>>>>> = {
  'The hub:': {
    setup: async () => {
      const { setupCommand } = await import('./setup.ts');
      return (world) => setupCommand(world, () => createProgram(world));
    },
    up: async () => (await import('./up.ts')).upCommand,
    stand: async () => (await import('./stand.ts')).standCommand,
    stop: async () => (await import('./stop.ts')).stopCommand,
    restart: async () => (await import('./restart.ts')).restartCommand,
    logs: async () => (await import('./logs.ts')).logsCommand,
    status: async () => (await import('./status.ts')).statusCommand,
    open: async () => (await import('./open.ts')).openCommand,
    demo: async () => (await import('./demo.ts')).demoCommand,
    doctor: async () => (await import('./doctor.ts')).doctorCommand,
    upgrade: async () => (await import('./upgrade.ts')).upgradeCommand,
    uninstall: async () => (await import('./uninstall.ts')).uninstallCommand,
    completion: async () => {
      const { completionCommand } = await import('./completion.ts');
      return (world) => completionCommand(world, () => createProgram(world));
    },
  },
  'Clients:': {
    connect: async () => (await import('./connect.ts')).connectCommand,
    disconnect: async () => (await import('./disconnect.ts')).disconnectCommand,
    token: async () => (await import('./token.ts')).tokenCommand,
    keys: async () => (await import('./keys.ts')).keysCommand,
    hooks: async () => (await import('./hooks.ts')).hooksCommand,
    mcp: async () => (await import('./mcp.ts')).mcpCommand,
    serve: async () => (await import('./serve.ts')).serveCommand,
  },
  'Rooms:': {
    board: async () => (await import('./board.ts')).boardCommand,
    search: async () => (await import('./search.ts')).searchCommand,
    stats: async () => (await import('./stats.ts')).statsCommand,
    undo: async () => (await import('./undo.ts')).undoCommand,
    memory: async () => (await import('./memory.ts')).memoryCommand,
    brain: async () => (await import('./brain.ts')).brainCommand,
    being: async () => (await import('./being.ts')).beingCommand,
    chat: async () => (await import('./chat.ts')).chatCommand,
    project: async () => (await import('./project.ts')).projectCommand,
    peer: async () => (await import('./peer.ts')).peerCommand,
  },
  'Agents:': {
    agents: async () => (await import('./agents.ts')).agentsCommand,
    send: async () => (await import('./send.ts')).sendCommand,
    run: async () => (await import('./run.ts')).runCommand,
    runs: async () => (await import('./runs.ts')).runsCommand,
    land: async () => (await import('./land.ts')).landCommand,
    checks: async () => (await import('./land.ts')).checksCommand,
    evidence: async () => (await import('./land.ts')).evidenceCommand,
  },
  'Governed tools:': {
    source: async () => (await import('./source.ts')).sourceCommand,
    approvals: async () => (await import('./approvals.ts')).approvalsCommand,
    grants: async () => (await import('./grants.ts')).grantsCommand,
    policy: async () => (await import('./policy.ts')).policyCommand,
    audit: async () => (await import('./audit.ts')).auditCommand,
  },
  'Safe-keeping:': {
    backup: async () => (await import('./backup.ts')).backupCommand,
    restore: async () => (await import('./backup.ts')).restoreCommand,
    export: async () => (await import('./export.ts')).exportCommand,
    import: async () => (await import('./import.ts')).importCommand,
  },
};

/** With the command that is called, or with all of them when there is none of that name: to show, or to suggest one. */
export async function createProgram(world: World, called?: string): Promise<Command> {
  const program = new Command('holdfast')
    .description('One local hub for every coding agent you run.')
    .version(VERSION)
    .commandsGroup('The hub:');
  const all = Object.entries(GROUPS).flatMap(([heading, group]) =>
    Object.entries(group).map(([name, load]) => ({ heading, name, load })),
  );
  const wanted = all.filter(({ name }) => name === called);
  const isVersion = called === '--version' || called === '-V';
  const shown = isVersion ? [] : wanted.length > 0 ? wanted : all;
  const loaded = await Promise.all(shown.map(({ load }) => load()));
  shown.forEach(({ heading }, i) => program.addCommand(loaded[i]!(world).helpGroup(heading)));
  program.addHelpText(
    'after',
    '\nEverywhere: --color=always|auto|never (NO_COLOR counts, too); --no-pager; --json answers as JSON, errors included.',
  );
  for (const command of everyCommand(program)) {
    command
      .exitOverride()
      .showHelpAfterError('(run with --help to see what is possible)')
      .configureOutput({
        writeOut: (text) => world.print(text.trimEnd()),
        writeErr: (text) => world.tell(text.trimEnd()),
      });
  }
  return program;
}
