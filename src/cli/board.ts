import { Command } from 'commander';
import type { Evidence, TaskDetail } from '../features/board/detail.ts';
import { addBoardChanges } from './board-changes.ts';
import { addBoardEdits } from './board-edits.ts';
import { addBoardList } from './board-list.ts';
import { addBoardWatch } from './board-watch.ts';
import { withClient } from './client.ts';
import { type Options, withDatabase } from './options.ts';
import { findTask, TASK_HINTS } from './task-id.ts';
import { renderDetail } from './task-view.ts';
import type { World } from './world.ts';

export function boardCommand(world: World): Command {
  const board = new Command('board').description('the task board, from the terminal');
  addBoardList(board, world);
  withDatabase(board.command('show'))
    .description('one task with everything about it')
    .argument('<task>', 'its id, or the end of it')
    .action((task: string, options: Options) => show(world, task, options));
  addBoardChanges(board, world);
  addBoardEdits(board, world);
  addBoardWatch(board, world);
  return board;
}

async function show(world: World, given: string, options: Options): Promise<void> {
  const { detail, labels, evidence } = await withClient(
    { ...world, hints: TASK_HINTS },
    options,
    async (client) => {
      const path = `/api/board/tasks/${await findTask(client, given)}`;
      const detail = await client.call<TaskDetail>('GET', path);
      const { labels } = await client.call<{ labels: string[] }>('GET', `${path}/labels`);
      const { evidence } = await client.call<{ evidence: Evidence[] }>('GET', `${path}/evidence`);
      return { detail, labels, evidence };
    },
  );
  world.print(
    options['json']
      ? JSON.stringify({ ...detail, labels, evidence })
      : renderDetail(detail, { labels, evidence }, Date.now()),
  );
}
