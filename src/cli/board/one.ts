import type { Task } from '../../features/board/task.ts';
import { type Client, withClient } from '../client.ts';
import type { Options } from '../options.ts';
import { shortId } from '../short-id.ts';
import { printable } from '../terminal/table.ts';
import { findTask, TASK_HINTS } from './task-id.ts';
import { wholeNumber } from '../whole-number.ts';
import type { World } from '../world.ts';

/** What is now true: for machines, and in one line for people. */
export type BoardAnswer = Readonly<{ value: object; line: string }>;

type Named = Readonly<{ task: string; options: Options }>;

/** One task, named by its id or the end of it. */
export function onTask(
  world: World,
  { task, options }: Named,
  change: (client: Client, taskId: string) => Promise<BoardAnswer>,
): Promise<void> {
  return onBoard(world, options, async (client) => change(client, await findTask(client, task)));
}

export async function onBoard(
  world: World,
  options: Options,
  change: (client: Client) => Promise<BoardAnswer>,
): Promise<void> {
  const { value, line } = await withClient({ ...world, hints: TASK_HINTS }, options, change);
  world.print(options['json'] ? JSON.stringify(value) : line);
}

/** Whose claim it is, where the command line says so. */
export function claimOf({ as, fence }: Options) {
  return {
    ...(typeof as === 'string' && { agentId: as }),
    ...(fence !== undefined && { fence: wholeNumber('--fence', fence) }),
  };
}

export function nowIs(task: Task): BoardAnswer {
  return { value: task, line: printable(`${shortId(task.id)} is ${task.status}: ${task.title}`) };
}
