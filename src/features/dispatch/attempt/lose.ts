// An attempt that is gone: its run waits for the next one, or is over.
import { hubCaller } from '../../../store/calls.ts';
import type { Tx } from '../../../store/database.ts';
import type { Access } from '../../access/access.ts';
import { countLost, endAttempt } from '../rows/attempts.ts';
import { changeHeld, lockRun } from '../rows/runs.ts';
import { isOver } from '../rules.ts';
import type { Run, RunError } from '../run.ts';
import { appendState, tellRun } from '../stream/events.ts';
import { type EndRun, NO_END } from './end.ts';
import { stopSubject } from './stop.ts';
import { tellQueued } from '../start/queue.ts';

type Loss = Readonly<{
  fence: number;
  /** `handed_over`: its runner was stopped in good order. */
  as: 'lost' | 'handed_over';
  error: RunError;
}>;

/** Undefined when the run was not this attempt's any more. Of a run that waits again the state is `pending`. */
export type LoseAttempt = (tx: Tx, id: string, loss: Loss) => Promise<Run | undefined>;

type LoseParts = Readonly<{
  access: Access;
  endRun: EndRun;
  /** What it asked and nobody has answered is asked no more. */
  withdraw(tx: Tx, run: Run): Promise<void>;
}>;

export function createLoseAttempt({ access, endRun, withdraw }: LoseParts): LoseAttempt {
  return async (tx, id, { fence, as, error }) => {
    const run = await lockRun(tx, id);
    if (!run || isOver(run.state) || run.fence !== fence) return undefined;
    tx.emit({
      kind: 'run.stop',
      subject: stopSubject(id),
      realm: 'hub',
      ...(run.team !== null && { team: run.team }),
    });
    const mayFollow = run.reason !== 'cancelling' && (await countLost(tx, id)) < run.wants.retries;
    if (!mayFollow) return endRun(tx, id, { ...NO_END, isLost: true, error, fence });
    await endAttempt(tx, id, as);
    await withdraw(tx, run);
    if (run.tokenId !== null) await access.in(tx, hubCaller).revokeToken(run.tokenId);
    const waiting = await changeHeld(tx, run, {
      state: 'pending',
      reason: null,
      runner: null,
      waitUntil: null,
      queuedAt: tx.now,
      fence: fence + 1,
    });
    if (!waiting) return undefined;
    await appendState(tx, waiting, 'task');
    tellRun(tx, waiting, { kind: 'run.changed', data: { attempt: waiting.attempt, end: as } });
    tellQueued(tx, waiting);
    return waiting;
  };
}
