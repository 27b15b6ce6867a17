import { Command } from 'commander';
import { addBoardChanges } from './changes.ts';
import { addBoardDetails } from './details.ts';
import { addBoardEdits } from './edits.ts';
import { addBoardList } from './list.ts';
import { addBoardSync } from './sync.ts';
import { addBoardWatch } from './watch.ts';
import { type Client, withClient } from '../client.ts';
import { type Options, withDatabase } from '../options.ts';
import { findTask, TASK_HINTS } from './task-id.ts';
import type { HistoryLine } from './task-timeline.ts';
import { renderDetail } from './task-view.ts';
import type { World } from '../world.ts';

export function boardCommand(world: World): Command {
  const board = new Command('board').description('the task board, from the terminal');
  addBoardList(board, world);
  withDatabase(board.command('show'))
    .description('one task with everything about it')
    .argument('<task>', 'its id, or the end of it')
    .action((task: string, options: Options) => show(world, task, options));
  addBoardChanges(board, world);
  addBoardEdits(board, world);
  addBoardDetails(board, world);
  addBoardWatch(board, world);
  addBoardSync(board, world);
  return board;
}

async function show(world: World, given: string, options: Options): Promise<void> {
  const { detail, labels, evidence, history } = await withClient(
    { ...world, hints: TASK_HINTS },
    options,
    async (client) => {
      const task = { taskId: await findTask(client, given) };
      const detail = await client.ask('GET /api/board/tasks/:taskId', task);
      const { labels } = await client.ask('GET /api/board/tasks/:taskId/labels', task);
      const { evidence } = await client.ask('GET /api/board/tasks/:taskId/evidence', task);
      const history = await historyOf(client, task);
      return { detail, labels, evidence, history };
    },
  );
  world.print(
    options['json']
      ? JSON.stringify({ ...detail, labels, evidence, history })
      : renderDetail(detail, { labels, evidence, history }, Date.now()),
  );
}

/** All of it, as far as a person reads; the log gives so many at once. */
async function historyOf({ ask }: Client, task: Readonly<{ taskId: string }>): Promise<HistoryLine[]> {
  const events: HistoryLine[] = [];
  let after: number | undefined;
  do {
    const page = await ask('GET /api/board/tasks/:taskId/history', { ...task, limit: 500, after });
    events.push(...page.events);
    after = page.nextAfter;
  } while (after !== undefined && events.length < 5_000);
  return events;
}
