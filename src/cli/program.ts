// The command line as a whole: every command, its help, and how an error becomes a line and an exit code.
import { Command, CommanderError } from 'commander';
import { HubError, toHubError } from '../kernel/errors.ts';
import { fileFault } from '../kernel/file-faults.ts';
import { VERSION } from '../kernel/version.ts';
import { takeColor } from './terminal/color.ts';
import { exitCodeFor, QuietExit } from './exit.ts';
import { helpLooks, helpWidth, wrapTo } from './terminal/help.ts';
import { inPlainWords } from './terminal/plain-words.ts';
import { isPageable, takePager } from './terminal/pager.ts';
import type { World } from './world.ts';

/** The command line as a whole: which commands there are, how a line of words becomes one of them, how errors are said. */
const USAGE_ERROR = 2;

/** Parses, runs one command and answers its exit code. Whatever is thrown is said once, here. */
export async function runCli(given: readonly string[], world: World): Promise<number> {
  const { when, rest: uncolored, problem } = takeColor(given);
  const { isWanted: isPaging, rest } = takePager(uncolored);
  const args = withVerb(jsonLast(helpLast(rest)));
  world.color?.(when);
  world.pager?.(isPaging && isPageable(args));
  try {
    if (problem !== undefined) throw new HubError('invalid', problem);
    const program = await createProgram(world, args[0]);
    requireNoun(program, args);
    if (args.includes('--json'))
      everyCommand(program).forEach((command) => command.configureOutput({ writeErr: () => undefined }));
    await program.parseAsync(isHelpOfNothing(program, args) ? args.filter(isNoHelp) : args, { from: 'user' });
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
    else {
      const { message, hint } = inPlainWords(error);
      const said = `${world.called ?? 'holdfast'}: ${message}\n  ${hint}`;
      world.tell(world.columns === undefined ? said : wrapTo(said, helpWidth(world.columns)));
    }
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
  sessions: 'list',
  hooks: 'list',
  keys: 'list',
  land: 'list',
  pr: 'list',
  checks: 'list',
  schedule: 'list',
  config: 'show',
};

/** `holdfast --json board` means `holdfast board --json`. */
function jsonLast(args: readonly string[]): readonly string[] {
  return args[0] === '--json' && args.length > 1 && !args[1]!.startsWith('-')
    ? [...args.slice(1), '--json']
    : args;
}

/** `holdfast help board add` and `holdfast board help add` mean `holdfast board add --help`. */
function helpLast(args: readonly string[]): readonly string[] {
  const at = args.indexOf('help');
  const isAsked = at === 0 || (at === 1 && Object.hasOwn(VERBS, args[0]!));
  return isAsked ? [...args.toSpliced(at, 1), '--help'] : args;
}

/** `holdfast add` is a verb without its noun: the board's first, being what most people mean. */
function requireNoun(program: Command, [verb]: readonly string[]): void {
  if (verb === undefined || program.commands.some((each) => each.name() === verb)) return;
  const owner = program.commands
    .toSorted((a, b) => Number(b.name() === 'board') - Number(a.name() === 'board'))
    .find(({ commands }) => commands.some((each) => each.name() === verb));
  if (owner === undefined) return;
  const hint = `Did you mean \`holdfast ${owner.name()} ${verb}\`? \`holdfast --help\` shows what there is.`;
  throw new HubError('invalid', `There is no command ${verb}.`, { hint });
}

/** Help for a command that does not exist is no help: that there is none is said, and which may be meant. */
function isHelpOfNothing(program: Command, args: readonly string[]): boolean {
  if (args.every(isNoHelp)) return false;
  let command = program;
  for (const word of args) {
    if (word.startsWith('-') || command.commands.length === 0) return false;
    const named = command.commands.find((each) => each.name() === word);
    if (!named) return command === program || command.registeredArguments.length === 0;
    command = named;
  }
  return false;
}

const isNoHelp = (word: string): boolean => word !== '--help' && word !== '-h';

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

/** By what a person wants. Each is loaded when it is called: hooks run at every step of a client. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, () => Promise<Builder>>>>> = {
  'Work:': {
    stand: async () => (await import('./stand.ts')).standCommand,
    board: async () => (await import('./board/board.ts')).boardCommand,
    search: async () => (await import('./search.ts')).searchCommand,
    undo: async () => (await import('./undo.ts')).undoCommand,
    project: async () => (await import('./project.ts')).projectCommand,
    stats: async () => (await import('./stats.ts')).statsCommand,
  },
  'What agents know and say:': {
    memory: async () => (await import('./memory/memory.ts')).memoryCommand,
    brain: async () => (await import('./brain/brain.ts')).brainCommand,
    chat: async () => (await import('./chat.ts')).chatCommand,
    sessions: async () => (await import('./sessions.ts')).sessionsCommand,
    why: async () => (await import('./why.ts')).whyCommand,
    peer: async () => (await import('./peer.ts')).peerCommand,
    being: async () => (await import('./being/being.ts')).beingCommand,
  },
  'What agents may do:': {
    approvals: async () => (await import('./approvals.ts')).approvalsCommand,
    grants: async () => (await import('./grants.ts')).grantsCommand,
    policy: async () => (await import('./policy.ts')).policyCommand,
    audit: async () => (await import('./audit/audit.ts')).auditCommand,
    source: async () => (await import('./source/source.ts')).sourceCommand,
  },
  'Handing work to an agent:': {
    run: async () => (await import('./runs/run.ts')).runCommand,
    send: async () => (await import('./runs/send.ts')).sendCommand,
    runs: async () => (await import('./runs/runs.ts')).runsCommand,
    land: async () => (await import('./land.ts')).landCommand,
    pr: async () => (await import('./pr.ts')).prCommand,
    collisions: async () => (await import('./collisions.ts')).collisionsCommand,
    checks: async () => (await import('./land.ts')).checksCommand,
    evidence: async () => (await import('./land.ts')).evidenceCommand,
    runner: async () => (await import('./runs/runner.ts')).runnerCommand,
    schedule: async () => (await import('./schedule.ts')).scheduleCommand,
    agents: async () => (await import('./agents.ts')).agentsCommand,
    budget: async () => (await import('./budget.ts')).budgetCommand,
  },
  'Connecting clients:': {
    setup: async () => {
      const { setupCommand } = await import('./setup/setup.ts');
      return (world) => setupCommand(world, () => createProgram(world));
    },
    connect: async () => (await import('./setup/connect.ts')).connectCommand,
    disconnect: async () => (await import('./setup/disconnect.ts')).disconnectCommand,
    hooks: async () => (await import('./hooks/hooks.ts')).hooksCommand,
    token: async () => (await import('./token.ts')).tokenCommand,
    keys: async () => (await import('./keys.ts')).keysCommand,
    serve: async () => (await import('./up/serve.ts')).serveCommand,
    mcp: async () => (await import('./mcp.ts')).mcpCommand,
  },
  'The hub:': {
    up: async () => (await import('./up/up.ts')).upCommand,
    stop: async () => (await import('./up/stop.ts')).stopCommand,
    restart: async () => (await import('./up/restart.ts')).restartCommand,
    status: async () => (await import('./up/status.ts')).statusCommand,
    open: async () => (await import('./open.ts')).openCommand,
    logs: async () => (await import('./up/logs.ts')).logsCommand,
    config: async () => (await import('./config.ts')).configCommand,
    notices: async () => (await import('./notices.ts')).noticesCommand,
    doctor: async () => (await import('./doctor/doctor.ts')).doctorCommand,
    demo: async () => (await import('./demo/demo.ts')).demoCommand,
  },
  'Keeping, moving, leaving:': {
    backup: async () => (await import('./files/backup.ts')).backupCommand,
    restore: async () => (await import('./files/backup.ts')).restoreCommand,
    export: async () => (await import('./files/export.ts')).exportCommand,
    import: async () => (await import('./files/import.ts')).importCommand,
    completion: async () => {
      const { completionCommand } = await import('./completion.ts');
      return (world) => completionCommand(world, () => createProgram(world));
    },
    upgrade: async () => (await import('./upgrade.ts')).upgradeCommand,
    uninstall: async () => (await import('./setup/uninstall.ts')).uninstallCommand,
  },
};

/** With the command that is called, or with all of them when there is none of that name: to show, or to suggest one. */
export async function createProgram(world: World, called?: string): Promise<Command> {
  const program = new Command(world.called ?? 'holdfast')
    .description('One local hub for every coding agent you run.')
    .usage('[command]')
    .version(VERSION);
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
    '\n`holdfast` alone says where you stand, `holdfast help board add` what a command takes.\n' +
      'Everywhere: --json answers as JSON, errors included; --color=always|auto|never; --no-pager; --version.',
  );
  const width = helpWidth(world.columns);
  for (const command of everyCommand(program)) {
    command
      .configureHelp(helpLooks(world.columns))
      .helpCommand(false)
      .exitOverride()
      .showHelpAfterError('(run with --help to see what is possible)')
      .configureOutput({
        writeOut: (text) => world.print(wrapTo(text.trimEnd(), width)),
        writeErr: (text) => world.tell(text.trimEnd()),
      });
  }
  return program;
}
