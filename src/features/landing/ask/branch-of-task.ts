import { HubError } from '../../../kernel/errors.ts';
import type { Acting, Call } from '../../../store/calls.ts';
import type { Board } from '../../board/board.ts';
import { type LandPlaces, targetOf } from './land-places.ts';

type Parts = Readonly<{ acting: Acting; board: Board; where: LandPlaces }>;
/** A task of the board, and where its work is unless it says so itself. */
export type BranchRequest = Readonly<{
  taskId: string;
  branch?: string | undefined;
  folder?: string | undefined;
  repository?: string | undefined;
}>;

/** Which branch of which repository a task is done on, and where that is to get. */
export async function branchOfTask({ acting, board, where }: Parts, call: Call, request: BranchRequest) {
  const { task } = await acting.look(call, (q, caller) =>
    board.at(q, caller).get({ taskId: request.taskId, commentLimit: 1 }),
  );
  const branch = request.branch ?? task.branchRef;
  if (branch === null)
    throw new HubError('invalid', `${task.title} has no branch.`, {
      hint: 'Name one: `--branch <name>`, or set branchRef of the task.',
    });
  const repository = request.repository ?? (await where.repositoryOf(call.who, task.teamId, request.folder));
  const project = task.teamId ?? (await where.projectAt(repository));
  return { task, branch, repository, project, ...(await targetOf(repository)) };
}
