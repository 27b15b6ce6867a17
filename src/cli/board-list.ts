import type { Command } from 'commander';
import type { TaskPage, TaskSummary } from '../features/board/task.ts';
import { HubError } from '../kernel/errors.ts';
import { DEFAULT_TEAM_PARAM } from '../kernel/principal.ts';
import { readDependencies, renderGraph, renderTree } from './board-shapes.ts';
import { followBoard } from './board-watch.ts';
import { type Client, withClient } from './client.ts';
import { type Options, withDatabase } from './options.ts';
import { readProjectOf, withTeam } from './project-of.ts';
import { renderTasks } from './task-view.ts';
import type { World } from './world.ts';

/** Which tasks: for the list, and for changes of many at once. */
function withSelection(command: Command): Command {
  return withTeam(command)
    .option('--status <status>', 'only tasks in this status')
    .option('--agent <id>', 'only tasks this agent holds')
    .option('--ready', 'only what can be claimed now')
    .option('--done', 'what is done or cancelled, instead of what is open')
    .option('--any', 'open or not')
    .option('--archived', 'only what was archived')
    .option('--search <words>', 'only tasks with these words in title or description')
    .option('--label <label>', 'only tasks with this label');
}

export function addBoardList(board: Command, world: World): void {
  withSelection(withDatabase(board.command('list')))
    .description('list open tasks, most urgent first')
    .option('--limit <number>', 'tasks to show (100)')
    .option('--cursor <text>', 'go on where the last page ended')
    .option('--tree', 'parts below their wholes')
    .option('--graph', 'below each task what it waits for')
    .option('--watch', 'and tell what happens from now on, until Ctrl-C')
    .action((options: Options) => list(world, options));
}

const NAMES = {
  team: 'teamId',
  status: 'status',
  agent: 'assigneeAgentId',
  limit: 'limit',
  cursor: 'cursor',
  search: 'search',
  label: 'label',
} as const;

/** The query of a selection; what is open, unless something else is asked for. */
export function queryOf(options: Options): URLSearchParams {
  const query = new URLSearchParams();
  for (const [option, name] of Object.entries(NAMES))
    if (typeof options[option] === 'string') query.set(name, options[option]);
  if (options['ready'] === true) query.set('ready', 'true');
  const { done, any, archived, status } = options;
  if ([done, any, archived].filter((each) => each === true).length > 1)
    throw new HubError('invalid', '--done, --any and --archived exclude each other.');
  if (done === true) query.set('state', 'closed');
  if (archived === true) query.set('archived', 'true');
  const isNamed = done === true || any === true || archived === true || status !== undefined;
  if (!isNamed) query.set('state', 'open');
  return query;
}

async function list(world: World, options: Options): Promise<void> {
  const query = queryOf(options);
  const shape = shapeOf(options);
  const isNarrowed = [...query.keys()].some((name) => name !== 'state') || query.get('state') === 'closed';
  await withClient(world, options, async (client) => {
    const project = await readProjectOf(client, options, world);
    if (project !== undefined) query.set(DEFAULT_TEAM_PARAM, project);
    const page =
      shape === 'table' ? await onePage(client, query) : { tasks: await everyTask(client, query), total: 0 };
    if (options['json']) world.print(JSON.stringify(page));
    else if (page.tasks.length === 0) world.tell(await nothing(client, isNarrowed, query));
    else await draw(world, client, { shape, page });
    if (options['watch'] === true) await followBoard(world, client, { project, options });
  });
}

type Shape = 'table' | 'tree' | 'graph';

function shapeOf({ tree, graph, json }: Options): Shape {
  if (tree === true && graph === true)
    throw new HubError('invalid', '--tree and --graph exclude each other.');
  if (json === true) return 'table';
  return tree === true ? 'tree' : graph === true ? 'graph' : 'table';
}

/** An empty list of open tasks is no empty board. */
async function nothing(client: Client, isNarrowed: boolean, query: URLSearchParams): Promise<string> {
  if (isNarrowed) return 'No task matches.';
  const team = query.get(DEFAULT_TEAM_PARAM);
  const closed = new URLSearchParams({
    state: 'closed',
    limit: '1',
    ...(team !== null && { [DEFAULT_TEAM_PARAM]: team }),
  });
  const { total } = await onePage(client, closed);
  return total > 0
    ? `Nothing is open; ${total} done or cancelled (--done shows them).`
    : 'No tasks. Add one with `holdfast board add <title>`.';
}

async function draw(
  world: World,
  client: Client,
  { shape, page }: Readonly<{ shape: Shape; page: TaskPage }>,
): Promise<void> {
  const { tasks } = page;
  if (shape === 'tree') return world.print(renderTree(tasks));
  if (shape === 'graph') return world.print(renderGraph(tasks, await readDependencies(client, tasks)));
  world.print(renderTasks(tasks, Date.now(), world.columns));
  if (page.nextCursor) world.tell(`${tasks.length} of ${page.total}; go on with --cursor ${page.nextCursor}`);
}

function onePage(client: Client, query: URLSearchParams): Promise<TaskPage> {
  return client.call<TaskPage>('GET', `/api/board/tasks?${query.toString()}`);
}

export async function everyTask(client: Client, query: URLSearchParams): Promise<TaskSummary[]> {
  const tasks: TaskSummary[] = [];
  const next = new URLSearchParams(query);
  next.set('limit', '500');
  for (;;) {
    const page = await onePage(client, next);
    tasks.push(...page.tasks);
    if (page.nextCursor === undefined) return tasks;
    next.set('cursor', page.nextCursor);
  }
}
