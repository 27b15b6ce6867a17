// Several runs try one task side by side, each in a worktree of its own; a person picks one, and the others are kept for a day.
import { beatMs } from '../../../kernel/beat.ts';
import { HubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Log } from '../../../kernel/log.ts';
import { isPerson, type Principal, systemActor, systemPrincipal } from '../../../kernel/principal.ts';
import { createTurns } from '../../../kernel/turns.ts';
import { type Acting, type Call, callerOf, hubCaller } from '../../../store/calls.ts';
import type { Database, Query } from '../../../store/database.ts';
import type { Board } from '../../board/board.ts';
import type { Landings } from '../../landing/landing.ts';
import type { Dispatch } from '../dispatch.ts';
import { runsOfTrial } from '../rows/runs.ts';
import {
  changeTrial,
  type Trial,
  trialById,
  trials as table,
  trialsOfTask,
  trialsToSee,
} from '../rows/trials.ts';
import { isOver, ownerOf, RUN_SCOPES } from '../rules.ts';
import type { WorkRequest } from '../work/request.ts';
import type { BoardWork } from '../work/work.ts';
import { dropAttempt } from '../worktree/worktrees.ts';
import { presentTrial, readAttempt, tableOf, type TrialView } from './view.ts';

export interface Trials {
  start(call: Call, request: TrialRequest): Promise<TrialView>;
  get(call: Call, id: string): Promise<TrialView>;
  /** Of a task, newest first. */
  list(call: Call, taskId: string): Promise<TrialView[]>;
  /** The branch of this run is the one that counts; the others are ended, and gone a day later. */
  pick(call: Call, runId: string): Promise<TrialView>;
  /** Checks what is over, hands the task to a person when all are, and tidies. */
  look(): Promise<void>;
  nudge(): void;
  close(): Promise<void>;
}

type TrialRequest = Omit<WorkRequest, 'taskId' | 'instance'> &
  Readonly<{ taskId: string; instances: readonly string[] }>;

type TrialParts = Readonly<{
  db: Database;
  acting: Acting;
  log: Log;
  board: Board;
  landing: Landings;
  dispatch: Dispatch;
  work: Pick<BoardWork, 'tryTask'>;
  leaseMs: number;
}>;

const KEPT_MS = 86_400_000;

export function createTrials(parts: TrialParts): Trials {
  const { db, acting, log, board, landing, dispatch, work, leaseMs } = parts;
  const stopping = new AbortController();
  const looks = createTurns();

  /** The trial holds the task while its runs are at it: none of them has it alone. */
  const nameOf = ({ id }: Pick<Trial, 'id'>) => `try-${id.slice(-6)}`;
  const holderOf = (trial: Pick<Trial, 'id' | 'team'>): Principal => ({
    kind: 'agent',
    id: nameOf(trial),
    scopes: new Set<string>(RUN_SCOPES),
    seat: '',
    bound: { agent: nameOf(trial), ...(trial.team !== null && { team: trial.team }) },
  });
  const asHolder = (trial: Trial) => callerOf({ who: holderOf(trial), via: 'tool' });

  // The claim of a trial lives as long as one of its runs.
  const beat = setInterval(() => {
    for (const { trial, boardTask, team } of dispatch.active())
      if (trial !== null && boardTask !== null) keepTask({ id: trial, team }, boardTask);
  }, beatMs(leaseMs)).unref();

  function keepTask(trial: Pick<Trial, 'id' | 'team'>, taskId: string): void {
    const call: Call = { who: holderOf(trial), via: 'tool', name: 'heartbeat' };
    void board
      .heartbeat(call, taskId)
      .catch((error: unknown) => log.debug("the task of a trial is somebody else's", { error }));
  }

  async function show(trial: Trial): Promise<TrialView> {
    const runs = await db.read((q) => runsOfTrial(q, trial.id));
    const shown = await Promise.all(
      runs.map(async (run) => {
        const found = run.worktree ? await readAttempt(run.worktree) : { head: undefined, diff: null };
        const evidence = found.head === undefined ? [] : await landing.evidenceAt(found.head);
        return { run, found, evidence };
      }),
    );
    return presentTrial(trial, shown);
  }

  async function requireTrial(q: Query, id: string): Promise<Trial> {
    const trial = await trialById(q, id);
    if (trial) return trial;
    throw new HubError('not_found', `There is no trial ${id}.`);
  }

  async function undo(trial: Trial): Promise<void> {
    for (const { id } of await db.read((q) => runsOfTrial(q, trial.id))) await dispatch.stop(id);
    await db.write(systemActor, async (tx) => {
      await changeTrial(tx, trial, { closedAt: tx.now - KEPT_MS });
      await board.in(tx, asHolder(trial)).release(trial.taskId);
    });
  }

  /** What every attempt that is over passes; one at a time, as checks are. */
  async function check(trial: Trial): Promise<void> {
    for (const run of await db.read((q) => runsOfTrial(q, trial.id))) {
      if (run.state !== 'done' || !run.worktree) continue;
      const { head } = await readAttempt(run.worktree);
      if (head === undefined || (await landing.evidenceAt(head)).length > 0) continue;
      try {
        await landing.proveHead(run.worktree.repository, head, stopping.signal);
      } catch (error) {
        if (!(error instanceof HubError)) throw error;
        log.info('an attempt could not be checked', { run: run.id, error });
      }
    }
  }

  async function settle(trial: Trial): Promise<void> {
    const runs = await db.read((q) => runsOfTrial(q, trial.id));
    await check(trial);
    if (runs.some(({ state }) => !isOver(state))) return;
    const view = await show(trial);
    const isWorth = runs.some(({ state }) => state === 'done');
    await db.write(systemActor, async (tx) => {
      const closing = isWorth ? {} : { closedAt: tx.now };
      if (!(await changeTrial(tx, trial, { settledAt: tx.now, ...closing }))) return;
      const desk = board.in(tx, asHolder(trial));
      const ask = isWorth ? '`holdfast runs pick <run>` says which one it is.' : 'None of them is done.';
      await desk.comment({
        taskId: trial.taskId,
        body: `${runs.length} attempts are over:\n${tableOf(view)}\n${ask}`,
      });
      const { task } = await desk.get({ taskId: trial.taskId, commentLimit: 1 });
      if (task.assigneeAgentId !== nameOf(trial) || task.status !== 'in_progress') return;
      if (isWorth) await desk.move({ taskId: trial.taskId, to: 'in_review' });
      else await desk.release(trial.taskId);
    });
  }

  /** Nobody picks among attempts at what is over. */
  async function closeIfOver(trial: Trial): Promise<void> {
    await db.write(systemActor, async (tx) => {
      const { task } = await board.in(tx, hubCaller).get({ taskId: trial.taskId, commentLimit: 1 });
      if (task.status === 'done' || task.status === 'cancelled')
        await changeTrial(tx, trial, { closedAt: tx.now });
    });
  }

  async function tidy(trial: Trial): Promise<void> {
    if (db.now() - trial.closedAt! < KEPT_MS) return;
    for (const run of await db.read((q) => runsOfTrial(q, trial.id)))
      if (run.id !== trial.picked && run.worktree && isOver(run.state)) await dropAttempt(run.worktree);
    await db.write(systemActor, (tx) => changeTrial(tx, trial, { tidied: true }));
  }

  async function lookOnce(): Promise<void> {
    for (const trial of await db.read(trialsToSee)) {
      stopping.signal.throwIfAborted();
      try {
        if (trial.closedAt !== null) await tidy(trial);
        else if (trial.settledAt === null) await settle(trial);
        else await closeIfOver(trial);
      } catch (error) {
        if (stopping.signal.aborted) return;
        log.warn('a trial could not be looked at', { trial: trial.id, error });
      }
    }
  }

  const look = (): Promise<void> => looks.take(lookOnce);

  return {
    async start(call, { taskId, instances, ...request }) {
      requirePersonHere(call);
      const trial = await acting.change(call, async (tx, caller) => {
        const { task } = await board.in(tx, caller).get({ taskId, commentLimit: 1 });
        const made: Trial = {
          id: newId(),
          taskId: task.id,
          team: task.teamId,
          owner: ownerOf(caller.who),
          repository: request.project ?? null,
          picked: null,
          settledAt: null,
          closedAt: null,
          tidied: false,
          createdAt: tx.now,
        };
        await table.insert(tx, made);
        await board.in(tx, asHolder(made)).claim({ taskId: task.id, agentId: nameOf(made) });
        return made;
      });
      try {
        for (const instance of instances)
          await work.tryTask(call, { ...request, taskId: trial.taskId, instance }, trial.id);
      } catch (error) {
        await undo(trial);
        throw error;
      }
      return show(trial);
    },

    async get(call, id) {
      requirePersonHere(call);
      return show(await acting.look(call, (q) => requireTrial(q, id)));
    },

    async list(call, taskId) {
      requirePersonHere(call);
      const found = await acting.look(call, (q) => trialsOfTask(q, taskId));
      return Promise.all(found.map(show));
    },

    async pick(call, runId) {
      requirePersonHere(call);
      const run = await dispatch.get(call, runId);
      if (run.trial === null || !run.worktree)
        throw new HubError('invalid', 'This run is none of several attempts.', {
          hint: '`holdfast run <task> --try <agents>` makes several.',
        });
      if (run.state !== 'done')
        throw new HubError('conflict', `This run is ${run.state}: there is nothing to pick.`, {
          state: run.state,
        });
      const { head } = await readAttempt(run.worktree);
      const isAwaited = head !== undefined && (await landing.isAwaited(run.worktree.repository));
      const { branch } = run.worktree;
      const trial = await acting.change(call, async (tx, caller) => {
        const found = await requireTrial(tx, run.trial!);
        const now = { picked: run.id, settledAt: found.settledAt ?? tx.now, closedAt: tx.now };
        if (found.closedAt !== null || !(await changeTrial(tx, found, now)))
          throw new HubError('conflict', 'One of these attempts was picked before.', {
            picked: found.picked,
          });
        const { taskId } = found;
        const desk = board.in(tx, caller);
        await desk.comment({ taskId, body: `Picked: ${run.instance}, run ${run.id}, branch ${branch}.` });
        await desk.update({ taskId, branchRef: branch });
        const { task, checks } = await desk.get({ taskId, commentLimit: 1 });
        const isOpen = isAwaited || checks.some(({ required, satisfied }) => required && !satisfied);
        if (task.status === 'in_progress' && task.assigneeAgentId === nameOf(found))
          await board.in(tx, asHolder(found)).move({ taskId, to: 'in_review' });
        if (!isOpen && (await desk.get({ taskId, commentLimit: 1 })).task.status === 'in_review')
          await desk.move({ taskId, to: 'done' });
        return { ...found, ...now };
      });
      for (const { id, state } of await db.read((q) => runsOfTrial(q, trial.id)))
        if (!isOver(state)) await dispatch.stop(id);
      return show(trial);
    },

    look,
    nudge: () => void look().catch((error: unknown) => log.warn('trials could not be looked at', { error })),
    async close() {
      clearInterval(beat);
      stopping.abort();
      await looks.settled();
    },
  };
}

function requirePersonHere({ who }: Call): void {
  if (!isPerson(who) || who === systemPrincipal)
    throw new HubError('forbidden', 'Only a person has several agents try one task.');
}
