// Conflicts that another run is to solve: which there are, and what becomes of them.
import { systemActor } from '../../../kernel/principal.ts';
import type { Database, Tx } from '../../../store/database.ts';
import { changeRerun, conflictsToSolve, queueAt, type StoredLanding } from '../rows.ts';
import type { AskAgain } from '../ask/request.ts';

export type ToSolve = Readonly<{
  landing: StoredLanding;
  target: string;
  repository: string;
  /** The run that is at it; undefined: one is wanted. */
  solver: string | undefined;
}>;

const WANTED = 'wanted';

export function createSolving(db: Database, again: AskAgain) {
  return {
    toSolve: (): Promise<ToSolve[]> =>
      db.read(async (q) => {
        const found: ToSolve[] = [];
        for (const landing of await conflictsToSolve(q)) {
          const queue = await queueAt(q, landing.queue);
          if (!queue) continue;
          const { target, repository } = queue;
          const solver = landing.rerun === WANTED ? undefined : landing.rerun!;
          found.push({ landing, target, repository, solver });
        }
        return found;
      }),

    /** In the transaction that makes the run; false when another one is at it. */
    solvedBy: (tx: Tx, landing: StoredLanding, run: string) => changeRerun(tx, landing, run),

    /** Its run is over: what it solved is asked for again, under the rules of the first time. */
    async solved({ landing, repository }: ToSolve, isDone: boolean): Promise<void> {
      const isMine = await db.write(systemActor, (tx) => changeRerun(tx, landing, null));
      if (isMine && isDone) await again(landing, repository);
    },

    /** Nobody can: it stays with whoever takes the task next. */
    leaveConflict: (landing: StoredLanding) => db.write(systemActor, (tx) => changeRerun(tx, landing, null)),
  };
}
