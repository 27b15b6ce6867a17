// What stands behind a word that a shell finishes: ids, labels, projects, agents, statuses. Asked while a person types, so that
// it answers nothing rather than late or wrong.
import { existsSync } from 'node:fs';
import type { Command, Option } from 'commander';
import { STATUSES } from '../features/board/task.ts';
import { runningHub } from '../kernel/discovery.ts';
import { isPostgresUrl } from '../kernel/site.ts';
import { type Client, connect } from './client.ts';
import { configFrom } from './options.ts';
import { readProjectOf } from './project-of.ts';
import { shortId } from './short-id.ts';
import { printable } from './terminal/table.ts';
import type { World } from './world.ts';

export const KINDS = [
  'tasks',
  'labels',
  'projects',
  'agents',
  'statuses',
  'runs',
  'approvals',
  'settings',
] as const;
export type CompletionKind = (typeof KINDS)[number];

const OPTIONS: Readonly<Record<string, CompletionKind>> = {
  '--status': 'statuses',
  '--label': 'labels',
  '--team': 'projects',
  '--project': 'projects',
  '--as': 'agents',
  '--agent': 'agents',
  '--assignee': 'agents',
  '--parent': 'tasks',
  '--after': 'tasks',
};

const ARGUMENTS: Readonly<Record<string, CompletionKind>> = {
  task: 'tasks',
  dependency: 'tasks',
  run: 'runs',
  team: 'projects',
  instance: 'agents',
};

/** What an option of this command takes, as far as it is known from its name. */
export function kindOfOption(option: Option, verb: string): CompletionKind | undefined {
  if (!option.required || !option.long) return undefined;
  if (option.long === '--to') return ({ move: 'statuses', assign: 'agents' } as const)[verb as 'move'];
  if (verb === 'label' && ['--add', '--remove'].includes(option.long)) return 'labels';
  return OPTIONS[option.long];
}

export function kindOfArgument(command: Command): CompletionKind | undefined {
  const [first] = command.registeredArguments;
  if (first === undefined) return undefined;
  const noun = command.parent?.name();
  if (noun === 'approvals' && first.name() === 'id') return 'approvals';
  if (noun === 'config' && first.name() === 'key') return 'settings';
  if (noun === 'project' && first.name() === 'name') return 'projects';
  return ARGUMENTS[first.name()];
}

/** One per line, with what it is behind a tab. */
export async function completionValues(world: World, kind: CompletionKind): Promise<string[]> {
  if (kind === 'statuses') return [...STATUSES];
  if (kind === 'settings')
    return Object.values((await import('../kernel/settings.ts')).SETTINGS).map(({ key }) => key);
  try {
    const config = await configFrom(world, {});
    const isThere = isPostgresUrl(config.database) || existsSync(config.database);
    if (!isThere && !(await runningHub(config))) return [];
    await using client = await connect(world, config);
    return await ASK[kind](client, world);
  } catch {
    return [];
  }
}

const MOST = 200;

const ASK: Readonly<
  Record<
    Exclude<CompletionKind, 'statuses' | 'settings'>,
    (client: Client, world: World) => Promise<string[]>
  >
> = {
  async tasks(client, world) {
    const teamId = await readProjectOf(client, {}, world);
    const { tasks } = await client.ask('GET /api/board/tasks', {
      limit: MOST,
      ...(teamId !== undefined && { teamId }),
    });
    return tasks.map(({ id, title }) => `${shortId(id)}\t${printable(title)}`);
  },
  async labels({ ask }) {
    const { labels } = await ask('GET /api/board/labels');
    return labels.map(({ label }) => label);
  },
  async projects({ ask }) {
    return (await ask('GET /api/projects')).projects.map(({ teamId }) => teamId);
  },
  async agents({ ask }) {
    const [{ agents }, { seats }] = [await ask('GET /v1/agents'), await ask('GET /api/seats')];
    const callable = agents.filter((agent) => agent.callable).map(({ instance }) => instance);
    return [...new Set([...seats.map(({ name }) => name), ...callable])];
  },
  async runs({ ask }) {
    const { tasks } = await ask('GET /v1/biam/tasks', { limit: MOST });
    return tasks.map(({ task_id: id, instance, status }) => `${shortId(id)}\t${instance} ${status}`);
  },
  async approvals({ ask }) {
    const { approvals } = await ask('GET /api/tools/approvals');
    return approvals.map(({ id, toolName }) => `${shortId(id)}\t${printable(toolName)}`);
  },
};
