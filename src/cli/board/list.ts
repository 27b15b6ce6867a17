// `board list`: which tasks, how many of them, and in which shape.
import type { Command } from 'commander';
import type { ListedTask, TaskPage } from '../../features/board/task.ts';
import { HubError } from '../../kernel/errors.ts';
import { readDependencies, renderGraph, renderTree } from './shapes.ts';
import { followBoard } from './watch.ts';
import { type Client, withClient } from '../client.ts';
import { matchingElsewhere, openElsewhere } from './elsewhere.ts';
import { type Options, withDatabase } from '../options.ts';
import { readProjectOf } from '../project-of.ts';
import { queryOf, takingQuery } from '../query-words.ts';
import { shortId } from '../short-id.ts';
import { type Selection, selectionOf, withSelection } from './task-fields.ts';
import { findTask } from './task-id.ts';
import { renderTasks } from './task-view.ts';
import { wholeNumber } from '../whole-number.ts';
import { tellWaiting } from '../waiting-calls.ts';
import type { World } from '../world.ts';

export function addBoardList(board: Command, world: World): void {
  takingQuery(withSelection(withDatabase(board.command('list'))))
    .description('list open tasks, most urgent first; with --done what ended last')
    .option('--limit <number>', 'tasks to show (50)')
    .option('--after <task>', 'go on after this task: the last one of the page before')
    .option('--cursor <text>', 'go on with nextCursor of --json')
    .option('--tree', 'parts below their wholes')
    .option('--graph', 'below each task what it waits for')
    .option('--watch', 'and tell what happens from now on, until Ctrl-C')
    .action((query: string[], options: Options) => list(world, withQuery(options, query)));
}

/** What stands behind the command narrows as `--where` does. */
function withQuery(options: Options, words: readonly string[]): Options {
  const { where } = options;
  const all = [typeof where === 'string' ? where : '', queryOf(words)].filter((each) => each.trim() !== '');
  return all.length === 0 ? options : { ...options, where: all.join(' ') };
}

async function list(world: World, options: Options): Promise<void> {
  const shape = shapeOf(options);
  const { limit, cursor, after } = options;
  const place = {
    ...(limit !== undefined && { limit: wholeNumber('--limit', limit) }),
    ...(typeof cursor === 'string' && { cursor }),
  };
  // Said before anything is asked for: options that exclude each other are refused without a hub.
  const { state, ...narrowed } = { ...selectionOf(options, undefined), ...place };
  const isNarrowed =
    Object.keys(narrowed).length > 0 || state === 'closed' || typeof options['team'] === 'string';
  await withClient(world, options, async (client) => {
    const project = await readProjectOf(client, options, world);
    const wanted = {
      ...selectionOf(options, project),
      ...place,
      ...(typeof after === 'string' && { after: await findTask(client, after) }),
    };
    const page =
      shape === 'table'
        ? await client.ask('GET /api/board/tasks', wanted)
        : { tasks: await everyTask(client, wanted), total: 0 };
    if (options['json']) world.print(JSON.stringify(page));
    else if (page.tasks.length === 0)
      world.tell(
        isNarrowed
          ? withMore(
              'No task matches.',
              await matchingElsewhere(client, elsewhereOf(project, options), wanted),
            )
          : await nothingOpen(client, wanted, project),
      );
    else await draw(world, client, { shape, page });
    if (!options['json']) await tellWaiting(client, world.tell);
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
async function nothingOpen(client: Client, wanted: Selection, project: string | undefined): Promise<string> {
  const page = await client.ask('GET /api/board/tasks', { ...wanted, state: 'closed', limit: 1 });
  const here =
    page.total > 0
      ? `Nothing is open; ${totalOf(page)} done or cancelled (--done shows them).`
      : 'No tasks. Add one with `holdfast board add <title>`.';
  return withMore(here, await openElsewhere(client, project));
}

function withMore(here: string, elsewhere: string | undefined): string {
  return elsewhere === undefined ? here : `${here}\n${elsewhere}`;
}

/** Who names a project means it, and is not told of others. */
function elsewhereOf(project: string | undefined, { team }: Options): string | undefined {
  return typeof team === 'string' ? undefined : project;
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
  if (page.nextCursor)
    world.tell(`${tasks.length} of ${totalOf(page)}; go on with --after ${shortId(tasks.at(-1)!.id)}`);
}

/** A long list is not counted to its end. */
function totalOf({ total, totalIsLeast }: Pick<TaskPage, 'total' | 'totalIsLeast'>): string {
  return `${total}${totalIsLeast ? '+' : ''}`;
}

export async function everyTask({ ask }: Client, wanted: Selection): Promise<ListedTask[]> {
  const tasks: ListedTask[] = [];
  let cursor: string | undefined;
  do {
    const page: TaskPage = await ask('GET /api/board/tasks', { ...wanted, limit: 500, cursor });
    tasks.push(...page.tasks);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tasks;
}
