import { callerOf } from '../../../store/calls.ts';
import type { Tx } from '../../../store/database.ts';
import type { Board } from '../../board/board.ts';
import { principalOf } from '../rules.ts';
import type { Run } from '../run.ts';
import type { Review } from '../worktree/worktrees.ts';

/**
 * What becomes of a board task when its run ends, in the same transaction: done, in review when its checks
 * are not satisfied or its commits have yet to land, or given back with the reason. An agent that moved its task itself has had its say.
 */
export function taskSettler(board: Board) {
  return async (tx: Tx, run: Run, review: Review | undefined): Promise<void> => {
    if (run.boardTask === null) return;
    const taskId = run.boardTask;
    const desk = board.in(tx, callerOf({ who: principalOf(run), via: 'tool' }));
    const { task, checks } = await desk.get({ taskId, commentLimit: 1 });
    if (task.assigneeAgentId !== run.agent || task.status === 'cancelled') return;
    await desk.comment({ taskId, body: reportOf(run, review) });
    if (task.status !== 'in_progress') return;
    if (run.state !== 'done') {
      await desk.release(taskId);
      return;
    }
    const landsLater = review?.lands === true && review.commits.length > 0;
    const isOpen = landsLater || checks.some(({ required, satisfied }) => required && !satisfied);
    await desk.move({ taskId, to: isOpen ? 'in_review' : 'done' });
  };
}

function reportOf(run: Run, review: Review | undefined): string {
  const lines = [
    run.state === 'done'
      ? `Done in run ${run.id}.`
      : `Given back: run ${run.id} ended ${run.state}${run.error ? `: ${run.error.text}` : ''}.`,
    ...(run.lastMessage === null ? [] : [run.lastMessage]),
  ];
  if (!run.worktree || !review) return lines.join('\n');
  const { commits, stat, isDirty } = review;
  const work = commits.length === 0 ? 'No commits.' : `${commits.length} commit(s), ${stat}:`;
  const rest = isDirty ? [`Uncommitted work is kept in ${run.worktree.path}.`] : [];
  return [
    ...lines,
    `Branch ${run.worktree.branch}. ${work}`,
    ...commits.slice(0, 20).map((each) => `- ${each}`),
    ...rest,
  ].join('\n');
}
