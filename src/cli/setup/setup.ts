import { runningHub } from '../../kernel/discovery.ts';
// `holdfast setup`: everything that connects this machine to a hub, shown first, made when it is confirmed,
// taken back by `uninstall`.
import { chmodSync } from 'node:fs';
import { basename, delimiter, dirname } from 'node:path';
import { type Command as Program, Command, Option } from 'commander';
import { connectFile } from '../../features/attach/files/connection.ts';
import { packageRoot } from '../../features/attach/attach.ts';
import { isRuntime, type Runtime, RUNTIMES } from '../../features/attach/runtimes.ts';
import { HubError, toHubError } from '../../kernel/errors.ts';
import { ensurePrivateFolder } from '../../kernel/home.ts';
import { replaceFile } from '../../kernel/replace-file.ts';
import { completionScript } from '../completion.ts';
import { openQuestions, type Questions } from '../terminal/confirm.ts';
import { QuietExit } from '../exit.ts';
import { commandOnPath } from './own-command.ts';
import { configFrom, type Options, withDatabase } from '../options.ts';
import { switchOn, switchOnLater } from '../up/service.ts';
import { clientsHere, type Machine, type Part, PARTS, type SetupStep, stepsOf, zshScript } from './steps.ts';
import type { Shell } from './targets.ts';
import { renderSteps, SAYING } from './view.ts';
import type { World } from '../world.ts';

export function setupCommand(world: World, everything: () => Promise<Program>): Command {
  return withDatabase(
    new Command('setup').description(
      'find the clients on this machine and connect them; shows everything first',
    ),
  )
    .option('--client <names...>', `only these, found or not: ${RUNTIMES.join(', ')}`)
    .option('--hooks', 'sessions of clients register themselves and see their mail')
    .option('--sessions', 'sessions of clients are read and found again: what was said, tried and decided')
    .option('--service', 'the hub starts with your session (systemd, launchd)')
    .addOption(
      new Option('--completion [shell]', 'your shell finishes words').choices(['bash', 'zsh', 'fish']),
    )
    .option('--notes', 'lines in AGENTS.md or CLAUDE.md of this repository that make agents use the board')
    .option('--embedding', 'memories are also found by meaning, if Ollama, LM Studio or llama.cpp runs here')
    .option('--path', '`holdfast` is found in every terminal: for a checkout, which npm did not install')
    .option('--all', 'all of these')
    .option('--yes', 'ask nothing and make the changes')
    .option('--dry-run', 'show the changes and make none')
    .action((options: Options) => setup(world, options, everything));
}

async function setup(world: World, options: Options, everything: () => Promise<Program>): Promise<void> {
  const config = await configFrom(world, { database: options['database'] });
  const around = { env: world.env, cwd: world.cwd, platform: process.platform, home: config.home };
  const machine: Machine = {
    around,
    config,
    shell: shellOf(world, options),
    script: async (shell) => completionScript(shell, await everything()),
  };
  const found = clientsHere(around);
  const isWatched = world.columns !== undefined && !options['json'];
  const isAsking = isWatched && options['yes'] !== true && options['dryRun'] !== true;
  const parts = wantedParts(options, isAsking);
  const clients = chosenClients(options) ?? found;
  const say = options['json'] ? () => undefined : world.print;
  const isAboutClients = parts.includes('clients');
  if (isAboutClients)
    say(
      found.length === 0
        ? `None of ${RUNTIMES.join(', ')} was found here. \`holdfast connect <client>\` attaches one all the same.`
        : `Found on this machine: ${found.join(', ')}.`,
    );
  if (packageRoot().includes('_npx'))
    world.tell(
      'This runs from the cache of npx, which may be emptied: `npm install -g holdfast` first is safer.',
    );

  const steps: Done[] = [];
  using questions = isAsking ? openQuestions(world) : undefined;
  for (const part of parts) {
    const planned = await stepsOf(part, clients, machine);
    if (planned.length === 0) {
      const none = SAYING[part].none;
      if (options[part] && none !== undefined) say(`\n${none}`);
      continue;
    }
    say(`\n${renderSteps(part, planned, world)}`);
    const isMaking = await isWanted(planned, options, { questions, part });
    steps.push(...(isMaking ? await make(world, planned, machine) : planned));
  }
  const changes = steps.filter(({ state }) => state === 'change');
  if (options['json'])
    world.print(JSON.stringify({ found, steps: steps.map(shown), made: steps.some(isMade) }));
  else await sayWhatIsNext(world, { steps, changes, isAsking, machine, options });
  if (steps.some(({ state, problem }) => state === 'refused' || problem !== undefined))
    throw new QuietExit(1);
}

type Done = SetupStep &
  Readonly<{ made?: boolean; backup?: string | undefined; problem?: string | undefined }>;

function isMade({ made }: Done): boolean {
  return made === true;
}

function shown({ part, name, file, state, why, diff, made, backup, problem }: Done): object {
  return { part, name, file, state, why, diff, made: made === true, backup, problem };
}

/**
 * Without a person who answers, only what was asked for: what a client runs by itself is for its owner to
 * decide.
 */
function wantedParts(options: Options, isAsking: boolean): readonly Part[] {
  if (options['all'] === true) return PARTS;
  const named = PARTS.filter((part) => part !== 'clients' && Boolean(options[part]));
  // Where the command is found has nothing to do with clients.
  if (named.length === 1 && named[0] === 'path' && options['client'] === undefined) return named;
  return isAsking && named.length === 0 ? PARTS : ['clients', ...named];
}

function chosenClients(options: Options): Runtime[] | undefined {
  const names = options['client'] as readonly string[] | undefined;
  const stranger = names?.find((name) => !isRuntime(name));
  if (stranger !== undefined)
    throw new HubError('invalid', `There is no client called ${JSON.stringify(stranger)}.`, {
      hint: `Known: ${RUNTIMES.join(', ')}.`,
    });
  return names?.filter(isRuntime);
}

function shellOf(world: World, { completion }: Options): Shell | undefined {
  const name = typeof completion === 'string' ? completion : basename(world.env['SHELL'] ?? '');
  return name === 'bash' || name === 'zsh' || name === 'fish' ? name : undefined;
}

type Asking = Readonly<{ questions: Questions | undefined; part: Part }>;

async function isWanted(
  steps: readonly SetupStep[],
  options: Options,
  { questions, part }: Asking,
): Promise<boolean> {
  if (options['dryRun'] === true || !steps.some(({ state }) => state === 'change')) return false;
  return (
    options['yes'] === true || (questions !== undefined && (await questions.confirm(SAYING[part].question)))
  );
}

async function make(world: World, steps: readonly SetupStep[], machine: Machine): Promise<Done[]> {
  const { config, around } = machine;
  ensurePrivateFolder(config.home);
  const done: Done[] = [];
  for (const step of steps) {
    if (!step.work) {
      done.push(step);
      continue;
    }
    const { plan, target } = step.work;
    let backup: string | undefined;
    try {
      backup = connectFile(plan, target, nextMoment());
    } catch (thrown) {
      const { message, hint } = toHubError(thrown);
      world.tell(`${step.name}: ${message}\n  ${hint}`);
      done.push({ ...step, problem: message });
      continue;
    }
    const problem =
      step.part === 'service'
        ? switchOn({ ...around, file: step.file }, (await runningHub(config)) !== undefined)
        : undefined;
    if (step.part === 'path') chmodSync(step.file, 0o755);
    if (step.name === 'zsh') replaceFile(zshScript(config.home), `${await machine.script('zsh')}\n`);
    if (problem !== undefined)
      world.tell(
        `${step.file} is written, but ${problem}.\n  ${switchOnLater({ ...around, file: step.file })}`,
      );
    if (step.part === 'path' && !onPath(world, step.file))
      world.tell(
        `${dirname(step.file)} is not on your path yet; a new terminal may have it, else add it in your shell's settings.`,
      );
    done.push({ ...step, made: true, backup, problem });
  }
  return done;
}

function onPath({ env }: World, file: string): boolean {
  return (env['PATH'] ?? '').split(delimiter).includes(dirname(file));
}

let last = 0;

/** Receipts are taken back in the order of their times: no two may have the same. */
function nextMoment(): Date {
  last = Math.max(Date.now(), last + 1);
  return new Date(last);
}

type End = Readonly<{
  steps: readonly Done[];
  changes: readonly Done[];
  isAsking: boolean;
  machine: Machine;
  options: Options;
}>;

async function sayWhatIsNext(
  world: World,
  { steps, changes, isAsking, machine, options }: End,
): Promise<void> {
  const made = steps.filter(isMade).length;
  if (changes.length === 0) world.print('\nNothing to change.');
  else if (made === 0)
    world.print(`\nNothing was changed.${isAsking ? '' : ' Make the changes with: --yes'}`);
  else
    world.print(
      `\n${made === 1 ? 'One change' : `${made} changes`} made. Files as they were: ${machine.config.home}/backups. ` +
        'Take everything back: holdfast uninstall.',
    );
  const isWhole = options['all'] === true || steps.every(({ part }) => part === 'path');
  const isFound = commandOnPath(world.env) !== undefined;
  const offered = PARTS.filter(
    (part) => part !== 'clients' && !options[part] && !isWhole && !(part === 'path' && isFound),
  );
  if (!isAsking && offered.length > 0)
    world.print(`Also on offer: ${offered.map((part) => `--${part}`).join(', ')} (--all).`);
  if (!(await runningHub(machine.config))) world.print('Next: holdfast up');
}
