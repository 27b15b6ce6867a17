// Conflicts of landings that are solved by another run of the same agent, where the person wants that: begun, followed, and
// asked for again. Everything stands in the database: whoever comes after a crash goes on.
import { HubError } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import { systemPrincipal } from '../../../kernel/principal.ts';
import { createTurns } from '../../../kernel/turns.ts';
import { type Acting, type Call, callerOf } from '../../../store/calls.ts';
import type { Database } from '../../../store/database.ts';
import type { Board } from '../../board/board.ts';
import type { Landings } from '../../landing/landing.ts';
import type { Dispatch } from '../dispatch.ts';
import { findRun } from '../rows/runs.ts';
import { isOver, principalOf } from '../rules.ts';
import { conflictPrompt } from './prompt.ts';

type SolverParts = Readonly<{
  db: Database;
  acting: Acting;
  log: Log;
  board: Board;
  landing: Landings;
  dispatch: Dispatch;
}>;

type ToSolve = Awaited<ReturnType<Landings['toSolve']>>[number];

const CALL: Call = { who: systemPrincipal, via: 'tool', name: 'solve_conflict' };

export function createSolver({ db, acting, log, board, landing: landings, dispatch }: SolverParts) {
  const looks = createTurns();

  async function lookOnce(): Promise<void> {
    for (const conflict of await landings.toSolve()) {
      try {
        await (conflict.solver === undefined ? begin(conflict) : follow(conflict, conflict.solver));
      } catch (error) {
        if (!(error instanceof HubError)) throw error;
        log.info('a conflict is left to whoever takes its task', { landing: conflict.landing.id, error });
        await landings.leaveConflict(conflict.landing);
      }
    }
  }

  async function begin({ landing, target }: ToSolve): Promise<void> {
    const { taskId, runId } = landing;
    const old = runId === null ? undefined : await db.read((q) => findRun(q, runId));
    if (!old?.worktree) throw new HubError('not_found', 'There is no run that made this branch.');
    const worktree = { ...old.worktree, kept: true };
    const detail = await acting.look(CALL, (q, caller) =>
      board.at(q, caller).get({ taskId, commentLimit: 5 }),
    );
    await dispatch.send(
      CALL,
      {
        instance: old.instance,
        prompt: conflictPrompt(detail, { branch: worktree.branch, target }),
        opts: { ...(old.model !== null && { model: old.model }) },
      },
      {
        boardTask: taskId,
        team: old.team,
        worktree,
        async alongside(tx, run) {
          if (!(await landings.solvedBy(tx, landing, run.id)))
            throw new HubError('conflict', 'Another run is at it.');
          const caller = callerOf({ who: principalOf(run), via: 'tool' });
          await board.in(tx, caller).claim({ taskId, agentId: run.agent, runtime: run.family });
        },
      },
    );
  }

  async function follow(conflict: ToSolve, solver: string): Promise<void> {
    const run = await db.read((q) => findRun(q, solver));
    if (run && !isOver(run.state)) return;
    await landings.solved(conflict, run?.state === 'done');
  }

  /** One after the other: two looks at once would begin twice what only one may have. */
  const look = (): Promise<void> => looks.take(lookOnce);

  return {
    look,
    /** Somebody has to look; nobody waits for it. */
    nudge: (): void =>
      void look().catch((error: unknown) => log.warn('conflicts could not be looked at', { error })),
    settled: looks.settled,
  };
}
