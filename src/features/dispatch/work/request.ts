// What is asked of a run that does a task of the board.
import type { SendMore } from '../start/sender.ts';

export type WorkRequest = Readonly<{
  taskId?: string | undefined;
  instance?: string | undefined;
  team?: string | undefined;
  /** The folder of the project; its repository gets the worktree. */
  project?: string | undefined;
  model?: string | undefined;
}>;

export type TaskRequest = WorkRequest & Readonly<{ taskId: string }>;

/** What a schedule knows of its run that nobody else may say. */
export type WorkMore = Pick<SendMore, 'cause' | 'hops' | 'alongside'>;
