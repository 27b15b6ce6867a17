// What is reviewed: a task with its branch, or a run with its worktree. Either is named by its id.
import { HubError, unlessUnknown } from '../../kernel/errors.ts';
import { headOf } from '../../kernel/git/git.ts';
import { gitPlaceOf } from '../../kernel/git/place.ts';
import type { Acting, Call, Caller } from '../../store/calls.ts';
import type { Query } from '../../store/database.ts';
import type { Board, Task } from '../board/board.ts';
import type { DispatchRoom, Run } from '../dispatch/dispatch.ts';
import type { Landings, LandingView } from '../landing/landing.ts';
import type { ChangePlace } from './changes.ts';

export type Subject = Readonly<{ key: string; task: Task | null; run: Run | null; team: string | null }>;

/** With where its change lies. */
export type Reviewed = Subject &
  Readonly<{ place: ChangePlace; landing: LandingView | null; lands: string | undefined }>;

type SubjectParts = Readonly<{
  acting: Acting;
  board: Board;
  dispatch: DispatchRoom;
  landing: Landings;
}>;

const MOST_RUNS = 50;

export type Subjects = ReturnType<typeof createSubjects>;

export function createSubjects({ acting, board, dispatch, landing }: SubjectParts) {
  /** Whoever may not see the task or the run is told that there is none. */
  async function find(q: Query, caller: Caller, id: string): Promise<Subject> {
    const runs = dispatch.at(q, caller);
    const given = await runs.get(id).catch(unlessUnknown);
    const taskId = given ? given.boardTask : id;
    const look = taskId === null ? undefined : board.at(q, caller).get({ taskId, commentLimit: 1 });
    const task = (await (given ? look?.catch(unlessUnknown) : look))?.task ?? null;
    const run = given ?? (task && (await newestOn(runs, task))) ?? null;
    return { key: task?.id ?? id, task, run, team: task?.teamId ?? run?.team ?? null };
  }

  async function newestOn(
    runs: ReturnType<DispatchRoom['at']>,
    { id, branchRef }: Task,
  ): Promise<Run | undefined> {
    const found = await runs.list({ boardTask: id, limit: MOST_RUNS });
    return found.find(
      ({ worktree }) => worktree !== null && (branchRef === null || worktree.branch === branchRef),
    );
  }

  return {
    find,

    async locate(call: Call, id: string): Promise<Reviewed> {
      const subject = await acting.look(call, (q, caller) => find(q, caller, id));
      const { task, run } = subject;
      const branch = run?.worktree?.branch ?? task?.branchRef ?? null;
      if (branch === null)
        throw new HubError('not_found', 'There is nothing to review: it has no branch and no worktree.', {
          hint: 'A task has a diff once somebody has set its branch, or a run has worked on it.',
        });
      const repository =
        run?.worktree?.repository ?? (await landing.repositoryOf(call.who, task!.teamId, undefined));
      const found = await landing.targetOf(repository);
      const mine = task === null ? undefined : await newestLanding(call, task.id);
      return {
        ...subject,
        landing: mine ?? null,
        lands: found?.target,
        place: {
          repository,
          branch,
          worktree: run?.worktree ?? null,
          target: found?.target ?? (await checkedOut(repository, branch)),
          began: mine && mine.commit !== null ? `${mine.commit}^1` : undefined,
        },
      };
    },
  };

  async function newestLanding(call: Call, taskId: string): Promise<LandingView | undefined> {
    const all = await landing.list(call, { isOpen: false });
    return all.find(({ task }) => task === taskId);
  }
}

/** What the person has checked out is what it goes onto where nothing says so. */
async function checkedOut(repository: string, branch: string): Promise<string | undefined> {
  const place = await gitPlaceOf(repository);
  const head = place && (await headOf(place.own).catch(() => undefined));
  const name = head?.startsWith('refs/heads/') ? head.slice('refs/heads/'.length) : undefined;
  return name === branch ? undefined : name;
}
