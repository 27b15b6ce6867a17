import { existsSync } from 'node:fs';
import { z } from 'zod';
import { beatMs } from '../../../kernel/beat.ts';
import type { Config } from '../../../kernel/config.ts';
import { HubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Log } from '../../../kernel/log.ts';
import { isPerson, type Principal, systemActor } from '../../../kernel/principal.ts';
import { type Acting, type Call, callerOf } from '../../../store/calls.ts';
import type { Database, Tx } from '../../../store/database.ts';
import type { Board } from '../../board/board.ts';
import type { Dispatch, SendMore } from '../dispatch.ts';
import type { RunWriter } from '../stream/run-writer.ts';
import { requireProject } from '../start/place.ts';
import { setWorktree } from '../rows/runs.ts';
import { isOver, principalOf } from '../rules.ts';
import { presentRun, type Run, runSchema, type Worktree } from '../run.ts';
import { runSetup } from '../worktree/setup.ts';
import { mergeBranch, type Merged, type SeenMerge } from '../worktree/merge.ts';
import { taskPrompt } from './prompt.ts';
import { repositoryOf } from '../../../kernel/git/repository.ts';
import type { TaskRequest, WorkMore, WorkRequest } from './request.ts';
import { taskSettler } from './settle.ts';
import {
  commitRest,
  diffOf,
  makeWorktree,
  planWorktree,
  type Review,
  reviewBranch,
  reviewWorktree,
  tidyWorktree,
} from '../worktree/worktrees.ts';

/** Runs that do tasks of the board, each in a worktree of its own. */
export interface BoardWork {
  /**
   * Claims the task under the run's name and starts it; without one the best ready one. Undefined when
   * nothing is ready.
   */
  start(call: Call, request: WorkRequest, more?: WorkMore): Promise<Run | undefined>;
  /** One of several attempts: it works beside the others, and its trial holds the task. */
  tryTask(call: Call, request: WorkRequest & Readonly<{ taskId: string }>, trial: string): Promise<Run>;
  /** The same agent session again, where the old run left it; its task is under way again. */
  resume(call: Call, id: string, prompt: string | undefined): Promise<Run>;
  diff(call: Call, id: string): Promise<Readonly<{ branch: string; stat: string; diff: string }>>;
  /** With `seen`, only what was looked at, and only into what it was to go into. */
  merge(call: Call, id: string, seen: SeenMerge): Promise<Merged & Readonly<{ branch: string }>>;
  close(): void;
}

export const begunSchema = z.object({ started: z.boolean(), task: runSchema.optional() });
export type BegunWork = z.output<typeof begunSchema>;

export function presentBegun(run: Run | undefined): BegunWork {
  return { started: run !== undefined, ...(run && { task: presentRun(run) }) };
}

/** What the supervisor asks of it. */
export interface WorkHooks {
  seated(tx: Tx, before: Run, run: Run): Promise<void>;
  /** Its task is its own again after it waited for its model; throws when somebody else has it. */
  reclaim(tx: Tx, run: Run): Promise<void>;
  prepare(run: Run, writer: RunWriter, stopping: AbortSignal): Promise<void>;
  review(run: Run, isDone: boolean): Promise<Review | undefined>;
  settle(tx: Tx, run: Run, review: Review | undefined): Promise<void>;
  ended(run: Run): Promise<void>;
}

export type WorkHookParts = Readonly<{
  db: Database;
  board: Board;
  config: Config;
  log: Log;
  /** Work in this repository is done when it landed. */
  isAwaited(repository: string): Promise<boolean>;
}>;

export type WorkParts = Readonly<{
  acting: Acting;
  board: Board;
  config: Config;
  heard(who: Principal): void;
  dispatch: Dispatch;
}>;

const AT_ONCE = 20;

export function createWorkHooks({ db, board, config, log, isAwaited }: WorkHookParts): WorkHooks {
  return {
    async seated(tx, before, run) {
      if (run.boardTask === null) return;
      const [from, to] = [before, run].map((each) => callerOf({ who: principalOf(each), via: 'tool' }));
      await board.in(tx, from!).handOver({ taskId: run.boardTask, to: to! });
    },
    async reclaim(tx, run) {
      const { boardTask: taskId, trial, agent: agentId, family: runtime } = run;
      if (taskId === null || trial !== null) return;
      const caller = callerOf({ who: principalOf(run), via: 'tool' });
      const { task } = await board.in(tx, caller).get({ taskId, commentLimit: 1 });
      const isOwn = task.assigneeAgentId === agentId && task.status === 'in_progress';
      if (!isOwn || (task.leaseUntil !== null && task.leaseUntil <= tx.now))
        await board.in(tx, caller).claim({ taskId, agentId, runtime });
    },
    async prepare(run, writer, stopping) {
      // A resumed run finds the folder as it was left.
      if (!run.worktree || !(await makeWorktree(run.worktree))) return;
      const script = config.dispatch.setup;
      if (script !== undefined) await runSetup({ run, script, writer, stopping });
    },
    async review(run, isDone) {
      const { worktree } = run;
      if (!worktree) return undefined;
      try {
        const lands = await isAwaited(worktree.repository);
        if (!existsSync(worktree.path)) {
          const pushed = await reviewBranch(worktree);
          return pushed && { ...pushed, lands };
        }
        const found = await reviewWorktree(worktree);
        if (!isDone || !found.isDirty) return { ...found, lands };
        await commitRest(worktree, run);
        return { ...(await reviewWorktree(worktree)), lands };
      } catch (error) {
        log.warn('the worktree of a run could not be looked at', { run: run.id, error });
        return undefined;
      }
    },
    settle: taskSettler(board),
    async ended(run) {
      const { worktree } = run;
      if (!worktree) return;
      const kept = await tidyWorktree(worktree);
      if (kept !== worktree.kept)
        await db.write(systemActor, (tx) => setWorktree(tx, run.id, { ...worktree, kept }));
    },
  };
}

export function createWork({ acting, board, config, heard, dispatch }: WorkParts): BoardWork {
  // A run is alive while its process is, however rarely its agent calls the hub.
  const beat = setInterval(() => {
    for (const run of dispatch.active()) if (run.boardTask !== null) heard(principalOf(run));
    void dispatch
      .waiting()
      .then((runs) =>
        runs.filter(({ boardTask }) => boardTask !== null).forEach((run) => heard(principalOf(run))),
      )
      .catch(() => undefined);
  }, beatMs(config.leaseMs)).unref();

  type Started = TaskRequest & Readonly<{ trial?: string }>;

  async function startTask(
    call: Call,
    { taskId, trial, ...request }: Started,
    given: WorkMore = {},
  ): Promise<Run> {
    const { who } = call;
    const detail = await acting.look(call, (q, caller) =>
      board.at(q, caller).get({ taskId, commentLimit: 5 }),
    );
    const project = request.project === undefined ? undefined : requireProject(config, who, request.project);
    const repository = project === undefined ? undefined : await repositoryOf(project);
    const worktree =
      repository === undefined
        ? undefined
        : await planWorktree(config.home, repository, { task: taskId, run: newId() });
    const more: SendMore = {
      ...given,
      boardTask: taskId,
      team: detail.task.teamId,
      ...(worktree && { worktree }),
      ...(trial !== undefined && { trial }),
      async alongside(tx, run) {
        // Of several attempts none has the task: their trial does.
        if (trial !== undefined) return;
        const caller = callerOf({ who: principalOf(run), via: 'tool' });
        const desk = board.in(tx, caller);
        await desk.claim({ taskId, agentId: run.agent, runtime: run.family });
        if (worktree) await desk.update({ taskId, branchRef: worktree.branch });
        await given.alongside?.(tx, run);
      },
    };
    const send = {
      instance: request.instance,
      prompt: taskPrompt(detail, worktree),
      opts: { model: request.model, ...(repository === undefined && project !== undefined && { project }) },
    };
    return dispatch.send(call, send, more);
  }

  /** Of the ready ones the best that nobody takes first. */
  async function startNext(call: Call, request: WorkRequest): Promise<Run | undefined> {
    const list = { ready: true, limit: AT_ONCE, teamId: request.team };
    const { tasks } = await acting.look(call, (q, caller) => board.at(q, caller).list(list));
    for (const { id } of tasks) {
      try {
        return await startTask(call, { ...request, taskId: id });
      } catch (error) {
        if (!(error instanceof HubError) || error.code !== 'conflict') throw error;
      }
    }
    return undefined;
  }

  async function withWorktree(call: Call, id: string): Promise<Readonly<{ run: Run; worktree: Worktree }>> {
    if (!isPerson(call.who))
      throw new HubError('forbidden', 'Only a person looks at and merges what runs have done.');
    const run = await dispatch.get(call, id);
    if (!run.worktree)
      throw new HubError('invalid', 'This run had no worktree.', {
        hint: '`holdfast run <task>` makes one.',
      });
    return { run, worktree: run.worktree };
  }

  return {
    start: (call, { taskId, ...request }, more) =>
      taskId === undefined ? startNext(call, request) : startTask(call, { ...request, taskId }, more),
    tryTask: (call, request, trial) => startTask(call, { ...request, trial }),

    async resume(call, id, prompt) {
      if (!isPerson(call.who)) throw new HubError('forbidden', 'Only a person resumes runs.');
      const old = await dispatch.get(call, id);
      if (!isOver(old.state))
        throw new HubError('conflict', 'The run is not over yet.', { state: old.state });
      if (old.sessionId === null)
        throw new HubError('invalid', 'The agent of this run left no session to go on with.', {
          hint: 'Start a new run instead.',
        });
      const taskId = old.boardTask;
      return dispatch.send(
        call,
        {
          instance: old.instance,
          prompt: prompt ?? 'Go on where you left off.',
          opts: { session_id: old.sessionId },
        },
        {
          resumes: old.id,
          cwd: old.cwd,
          team: old.team,
          ...(old.worktree && { worktree: { ...old.worktree, kept: true } }),
          ...(taskId !== null && {
            boardTask: taskId,
            async alongside(tx: Tx, run: Run) {
              await board.in(tx, callerOf(call)).takeUpAgain(taskId);
              const caller = callerOf({ who: principalOf(run), via: 'tool' });
              await board.in(tx, caller).claim({ taskId, agentId: run.agent, runtime: run.family });
            },
          }),
        },
      );
    },

    async diff(call, id) {
      const { worktree } = await withWorktree(call, id);
      return { branch: worktree.branch, ...(await diffOf(worktree)) };
    },

    async merge(call, id, seen) {
      const { run, worktree } = await withWorktree(call, id);
      if (!isOver(run.state))
        throw new HubError('conflict', 'The run is not over yet.', { state: run.state });
      return { branch: worktree.branch, ...(await mergeBranch(worktree, seen)) };
    },

    close: () => clearInterval(beat),
  };
}
