// How a run ends: one transaction in which everything that hangs on it is told and settled.
import { hubCaller } from '../../../store/calls.ts';
import type { Tx } from '../../../store/database.ts';
import type { Log } from '../../../kernel/log.ts';
import { redactLines } from '../../../kernel/redact-stream.ts';
import { redactJson } from '../../../kernel/redact.ts';
import type { Access } from '../../access/access.ts';
import type { HubIdentity } from '../messages/envelopes.ts';
import { appendState, tellRun } from '../stream/events.ts';
import type { LaneOutcome } from '../lanes/lane.ts';
import { insertMessage } from '../rows/messages.ts';
import { endAttempt } from '../rows/attempts.ts';
import { changeRun, lockRun, type RunChange } from '../rows/runs.ts';
import { finalState } from '../rules.ts';
import type { Review } from '../worktree/worktrees.ts';
import { headline, type Run, type RunError } from '../run.ts';

export type EndParts = Readonly<{
  access: Access;
  identity: HubIdentity;
  log: Log;
  /** Finishes or releases the board task, in the same transaction. */
  settle(tx: Tx, run: Run, end: Settled): Promise<void>;
}>;

/** What it left in its worktree, and what was counted of its cost before. */
type Settled = Readonly<{ review: Review | undefined; counted: Run['usage'] }>;

export type End = Readonly<{
  /** Undefined when no process ever ran, or nobody knows how it ended. */
  outcome: LaneOutcome | undefined;
  isCancelled: boolean;
  isLost: boolean;
  /** Why, when it was not the agent's own doing. */
  error: RunError | null;
  lastMessage: string | undefined;
  /** What it left in its worktree. */
  review: Review | undefined;
  /** Of the attempt that tells it; undefined: whoever has it. */
  fence: number | undefined;
}>;

/** Of a run that nothing is known of yet. */
export const NO_END: End = {
  outcome: undefined,
  isCancelled: false,
  isLost: false,
  error: null,
  lastMessage: undefined,
  review: undefined,
  fence: undefined,
};

/**
 * The end of a run, in one transaction: its last event, its state, its envelope, its token, its board task.
 * Undefined when it was over before.
 */
export type EndRun = (tx: Tx, id: string, end: End) => Promise<Run | undefined>;

export function createRunEnd({ access, identity, log, settle }: EndParts): EndRun {
  return async (tx, id, end) => {
    const run = await lockRun(tx, id);
    if (!run || (end.fence !== undefined && end.fence !== run.fence)) return undefined;
    const { outcome } = end;
    const isCancelled = end.isCancelled || run.reason === 'cancelling';
    const state = finalState({
      isCancelled,
      isLost: end.isLost,
      isDone: end.error === null && outcome?.isDone === true,
    });
    const why = state === 'done' || state === 'cancelled' ? null : (end.error ?? outcome?.error ?? null);
    const error = why && cleanError(why);
    const text = clean(outcome?.text ?? '');
    const outcomes = [text, error?.text ?? ''];
    const heard = clean(end.lastMessage ?? '');
    // An agent begins with what came of it; a plain command ends with it. Its lines are masked together: half a key is one, too.
    const words =
      run.family === 'command' ? [...heard.split('\n').reverse(), ...outcomes] : [...outcomes, heard];
    const last = words.map(headline).find((line) => line !== '');
    const usage = outcome?.usage ?? run.usage;
    const change: RunChange = {
      state,
      reason: null,
      result: text === '' ? null : text,
      lastMessage: last ?? run.lastMessage,
      error,
      usage,
      costUsd: usage?.costUsd ?? null,
      exitCode: outcome?.exit?.code ?? null,
      exitSignal: outcome?.exit?.signal ?? null,
      sessionId: outcome?.sessionId ?? run.sessionId,
      closedAt: tx.now,
      queuedAt: null,
      waitUntil: null,
      fence: run.fence + 1,
    };
    const ended = { ...run, ...change };
    if (!(await appendState(tx, ended, 'terminal'))) return undefined;
    await changeRun(tx, id, change);
    await endAttempt(tx, id, state === 'expired' ? 'lost' : state);
    if (run.tokenId !== null) await access.in(tx, hubCaller).revokeToken(run.tokenId);
    const kind = state === 'done' ? 'result' : state === 'cancelled' ? 'cancel' : 'error';
    const said = state === 'done' ? text : (error?.text ?? state);
    const { agent: from, owner: to, hops } = run;
    await insertMessage(tx, identity.seal({ runId: id, kind, text: said, from, to, hops, at: tx.now }));
    // A task that somebody has changed meanwhile keeps no run from ending.
    await tx
      .attempt((inner) => settle(inner, ended, { review: end.review, counted: run.usage }))
      .catch((error: unknown) =>
        log.warn('the board task of a run could not be settled', { run: id, error }),
      );
    tellRun(tx, run, {
      kind: 'run.ended',
      data: { state, agent: run.agent, ...(run.boardTask !== null && { task: run.boardTask }) },
    });
    return ended;
  };
}

/** The store takes no NUL, and no secret. */
function clean(text: string): string {
  const plain = text.replaceAll('\0', '\uFFFD');
  return /^\s*[[{]/.test(plain) ? redactJson(plain) : redactLines(plain);
}

function cleanError(error: RunError): RunError {
  const { text, stderr } = error;
  return { ...error, text: clean(text), ...(stderr !== undefined && { stderr: clean(stderr) }) };
}
