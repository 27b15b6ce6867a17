import { Command } from 'commander';
import type { TaskDetail, TaskPage } from '../features/board/task.ts';
import { DEFAULT_TEAM_PARAM } from '../kernel/principal.ts';
import { addBoardChanges } from './board-changes.ts';
import { addBoardWatch } from './board-watch.ts';
import { withClient } from './client.ts';
import { type Options, withDatabase } from './options.ts';
import { readProjectOf, withTeam } from './project-of.ts';
import { findTask, TASK_HINTS } from './task-id.ts';
import { renderDetail, renderTasks } from './task-view.ts';
import type { World } from './world.ts';

export function boardCommand(world: World): Command {
  const board = new Command('board').description('the task board, from the terminal');
  withTeam(withDatabase(board.command('list')))
    .description('list tasks, most urgent first')
    .option('--status <status>', 'only tasks in this status')
    .option('--agent <id>', 'only tasks this agent holds')
    .option('--ready', 'only what can be claimed now')
    .option('--limit <number>', 'tasks to show (100)')
    .option('--cursor <text>', 'go on where the last page ended')
    .action((options: Options) => list(world, options));
  withDatabase(board.command('show'))
    .description('one task with everything about it')
    .argument('<task>', 'its id, or the end of it')
    .action((task: string, options: Options) => show(world, task, options));
  addBoardChanges(board, world);
  addBoardWatch(board, world);
  return board;
}

async function list(world: World, options: Options): Promise<void> {
  const query = new URLSearchParams();
  for (const [option, name] of [
    ['team', 'teamId'],
    ['status', 'status'],
    ['agent', 'assigneeAgentId'],
    ['limit', 'limit'],
    ['cursor', 'cursor'],
  ] as const) {
    if (typeof options[option] === 'string') query.set(name, options[option]);
  }
  if (options['ready']) query.set('ready', 'true');
  const isNarrowed = query.size > 0;
  const page = await withClient(world, options, async (client) => {
    const project = await readProjectOf(client, options, world);
    if (project !== undefined) query.set(DEFAULT_TEAM_PARAM, project);
    return client.call<TaskPage>('GET', `/api/board/tasks?${query.toString()}`);
  });
  if (options['json']) return world.print(JSON.stringify(page));
  if (page.tasks.length === 0) return world.tell(isNarrowed ? 'No task matches.' : 'No tasks. Add one with `holdfast board add <title>`.');
  world.print(renderTasks(page.tasks, Date.now(), world.columns));
  if (page.nextCursor) world.tell(`${page.tasks.length} of ${page.total}; go on with --cursor ${page.nextCursor}`);
}

async function show(world: World, given: string, options: Options): Promise<void> {
  const detail = await withClient(
    world,
    options,
    async (client) => client.call<TaskDetail>('GET', `/api/board/tasks/${await findTask(client, given)}`),
    TASK_HINTS,
  );
  world.print(options['json'] ? JSON.stringify(detail) : renderDetail(detail, Date.now()));
}
