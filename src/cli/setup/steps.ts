import { existsSync, readFileSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { findingAttachment, holdfastCommand } from '../../features/attach/entry.ts';
import { signsOf, userHome } from '../../features/attach/files/client-files.ts';
import {
  type ClientTarget,
  isChange,
  type Plan,
  planConnect,
} from '../../features/attach/files/connection.ts';
import { readReceipt } from '../../features/attach/files/receipts.ts';
import { type ClientEntry, entryFor, type Runtime, RUNTIMES } from '../../features/attach/runtimes.ts';
import { type Config, resolveConfig } from '../../kernel/config.ts';
import { defaultHome, isPostgresUrl } from '../../kernel/site.ts';
import { toHubError } from '../../kernel/errors.ts';
import { shellWord } from '../../kernel/shell-word.ts';
import { NOTES, notesFiles } from './agent-notes.ts';
import { renderDiff } from '../terminal/diff.ts';
import { hookCommandOf } from '../hooks/command.ts';
import { CLIENTS } from '../../features/sessions/settings.ts';
import { isHookClient } from '../../features/attach/hooks/moments.ts';
import { hookEntry } from '../hooks/packs.ts';
import { findLocalEndpoints } from '../../recall/recall.ts';
import { commandOnPath } from './own-command.ts';
import { foreignService, serviceText } from '../up/service-file.ts';
import {
  type Premises,
  clientTarget,
  completionTarget,
  embeddingTarget,
  hookTarget,
  pathTarget,
  notesTarget,
  serviceTarget,
  sessionsTarget,
  type Shell,
} from './targets.ts';

/** What setup could do on this machine, worked out and not yet done. */
export const PARTS = [
  'clients',
  'hooks',
  'sessions',
  'service',
  'completion',
  'notes',
  'path',
  'embedding',
] as const;
export type Part = (typeof PARTS)[number];

/** `refused`: it was left alone, and `why` says the reason. */
export type SetupStep = Readonly<{
  part: Part;
  name: string;
  file: string;
  state: 'change' | 'same' | 'refused';
  why?: string;
  diff: string;
  work?: Readonly<{ target: ClientTarget; plan: Plan }>;
}>;

export type Machine = Readonly<{
  around: Premises;
  config: Config;
  shell: Shell | undefined;
  script(shell: Shell): Promise<string>;
}>;

export function clientsHere(around: Premises): Runtime[] {
  const folders = (around.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return RUNTIMES.filter((runtime) => {
    const { places, command } = signsOf(runtime, around);
    return (
      places.some((place) => existsSync(place)) || folders.some((each) => existsSync(join(each, command)))
    );
  });
}

export async function stepsOf(
  part: Part,
  clients: readonly Runtime[],
  machine: Machine,
): Promise<SetupStep[]> {
  const { around, config } = machine;
  if (part === 'clients') return clients.map((client) => connectStep(client, machine));
  if (part === 'hooks')
    return clients.filter(isHookClient).map((client) => {
      const entry = hookEntry(client, hookCommandOf(config));
      return planned('hooks', client, { target: hookTarget(client, around), entry });
    });
  if (part === 'sessions') return sessionSteps(clients, machine);
  if (part === 'service') return serviceSteps(machine);
  if (part === 'completion') return completionSteps(machine);
  if (part === 'embedding') return embeddingSteps(machine);
  if (part === 'path') return pathSteps(machine);
  return notesFiles(around.cwd).map((file) =>
    planned('notes', basename(file), { target: notesTarget(file, around), entry: { text: NOTES } }),
  );
}

function connectStep(client: Runtime, { around, config }: Pick<Machine, 'around' | 'config'>): SetupStep {
  const attachment = findingAttachment({ config }, 'hub', { fixed: {}, isShared: false });
  return planned('clients', client, {
    target: clientTarget(client, around),
    entry: entryFor(client, attachment),
  });
}

type Wanted = Readonly<{ target: ClientTarget; entry: ClientEntry }>;

function planned(part: Part, name: string, { target, entry }: Wanted): SetupStep {
  const { file } = target;
  try {
    const plan = planConnect(target, entry);
    if (!isChange(plan)) return { part, name, file, state: 'same', diff: '' };
    const diff = renderDiff(file, plan.before ?? '', plan.after ?? '');
    return { part, name, file, state: 'change', diff, work: { target, plan } };
  } catch (thrown) {
    const { message, hint } = toHubError(thrown);
    return { part, name, file, state: 'refused', why: `${message} ${hint}`, diff: '' };
  }
}

/** Nothing is read before a person has said so: this is where it is said. */
function sessionSteps(clients: readonly Runtime[], { around, config }: Machine): SetupStep[] {
  const target = sessionsTarget(around);
  const { file } = target;
  const from = CLIENTS.filter((client) => clients.some((each) => each === client));
  if (from.length === 0) return [];
  const same = { part: 'sessions', name: 'sessions', file, state: 'same', diff: '' } as const;
  if (config.sessions !== undefined) return [same];
  const entry = { text: `sessions:\n  from: [${from.join(', ')}]\n` };
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (before.trimStart().startsWith('{'))
    return [
      { ...same, state: 'refused', why: `${file} is one map in braces; add this by hand: ${entry.text}` },
    ];
  return [planned('sessions', 'sessions', { target, entry })];
}

async function serviceSteps({ around, config }: Machine): Promise<SetupStep[]> {
  const target = serviceTarget(around);
  if (!target) return [];
  const { file } = target;
  const refused = (why: string): SetupStep => ({
    part: 'service',
    name: 'service',
    file,
    state: 'refused',
    why,
    diff: '',
  });
  const isByHand = existsSync(file) && readReceipt(target) === undefined;
  const other = isByHand ? file : foreignService(around, file);
  if (other !== undefined)
    return [refused(`${other} runs a hub already and was not made by setup; it is left as it is.`)];
  if (isPostgresUrl(config.database)) {
    const bare = await resolveConfig({ env: {}, home: config.home });
    if (bare.database !== config.database)
      return [
        refused(
          `A service finds its database in ${config.home}/config.yaml; write \`database: <the URL>\` there first.`,
        ),
      ];
  }
  const service = { command: [...holdfastCommand(), 'up'], env: serviceEnv(around, config) };
  const entry = { text: serviceText(around.platform, service) };
  return [planned('service', 'service', { target, entry })];
}

/**
 * A service knows nothing of a terminal: the path, on which agents and git are found, and where the data
 * lies.
 */
function serviceEnv({ env }: Premises, { home, database }: Config): Record<string, string> {
  const isElsewhere = !isPostgresUrl(database) && database !== join(home, 'holdfast.db');
  return {
    ...(env['PATH'] && { PATH: env['PATH'] }),
    ...((home !== defaultHome() || home !== join(userHome(env), '.holdfast')) && { HOLDFAST_HOME: home }),
    ...(isElsewhere && { CLAWBOO_DB_PATH: database }),
  };
}

/** For a checkout: what npm installs is on the path already. A `holdfast` that is there stays the one that is meant. */
function pathSteps({ around }: Machine): SetupStep[] {
  const target = pathTarget(around);
  const isMade = existsSync(target.file) && readReceipt(target) !== undefined;
  if (!isMade && commandOnPath(around.env) !== undefined) return [];
  return [planned('path', 'holdfast', { target, entry: { text: launcherText(holdfastCommand()) } })];
}

function launcherText(command: readonly string[]): string {
  const words = command.map((word) => shellWord(word)).join(' ');
  return `#!/bin/sh\n# Made by \`holdfast setup --path\`; \`holdfast uninstall\` takes it away.\nexec ${words} "$@"\n`;
}

async function completionSteps({ around, shell, script }: Machine): Promise<SetupStep[]> {
  if (shell === undefined) return [];
  const target = completionTarget(shell, around);
  const isByHand = shell !== 'zsh' && existsSync(target.file) && readReceipt(target) === undefined;
  if (isByHand) {
    const why = `${target.file} was not made by setup; it is left as it is.`;
    return [{ part: 'completion', name: shell, file: target.file, state: 'refused', why, diff: '' }];
  }
  const text = shell === 'zsh' ? zshLines(around.home) : `${await script(shell)}\n`;
  return [planned('completion', shell, { target, entry: { text } })];
}

/** The first program of this machine that embeds, unless an endpoint was chosen already. */
async function embeddingSteps({ around, config }: Machine): Promise<SetupStep[]> {
  const target = embeddingTarget(around);
  const chosen = Object.values(config.embedding).filter((value) => value !== undefined);
  if (chosen.length > 0 && readReceipt(target) === undefined)
    return [{ part: 'embedding', name: chosen.join(', '), file: target.file, state: 'same', diff: '' }];
  const [found] = await findLocalEndpoints();
  if (!found) return [];
  const { program, use, url, model } = found;
  // Quoted: a model may be called anything.
  const lines = [
    'embedding:',
    `  use: ${use}`,
    ...(use === 'openai' ? [`  url: ${JSON.stringify(url)}`] : []),
  ];
  const text = [...lines, `  model: ${JSON.stringify(model)}`, ''].join('\n');
  return [planned('embedding', `${program}, ${model}`, { target, entry: { text } })];
}

/** A shell that asked us for the script whenever it starts would start late. */
function zshLines(home: string): string {
  const file = shellWord(zshScript(home));
  return `[ -f ${file} ] && source ${file}\n`;
}

export function zshScript(home: string): string {
  return join(home, 'completion.zsh');
}
