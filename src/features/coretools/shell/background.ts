// Commands that go on after their call was answered. They end with the hub.
import { elapsed } from '../../../kernel/clock.ts';
import type { Principal } from '../../../kernel/principal.ts';
import { toolCallerOf } from '../../broker/broker.ts';
import type { Workplace } from '../../projects/projects.ts';
import { HubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { excerpt } from '../../../kernel/redact.ts';
import { FollowedOutput } from '../../../kernel/shell/output.ts';
import { launch, type Ended, type ShellLaunch, type RunningCommand } from '../../../kernel/shell/process.ts';

export type TaskState = 'active' | 'done' | 'failed' | 'cancelled';

export type BackgroundTask = {
  readonly id: string;
  readonly owner: string;
  readonly command: string;
  readonly cwd: string;
  readonly startedAt: number;
  readonly stdout: FollowedOutput;
  readonly stderr: FollowedOutput;
  readonly running: RunningCommand;
  ended: Ended | undefined;
  finishedAt: number | undefined;
  /** When it may be forgotten, by what has passed. */
  keptUntil: number;
  isCancelled: boolean;
};

/** `cwd` as the caller knows it; the shell has the real one. */
type Command = Readonly<{ command: string; cwd: string; shell: ShellLaunch; timeoutMs: number }>;

const MOST_RUNNING = 32;
export const KEEP_MS = 60 * 60_000;

/** Commands that go on after their call has been answered. They end with the hub. */
export interface Background {
  start(owner: string, what: Command): BackgroundTask;
  find(owner: string, id: string): BackgroundTask;
  cancel(owner: string, id: string): Promise<BackgroundTask>;
  close(): Promise<void>;
}

/** Whoever started it, in the workspace it runs in: another client, or the same one elsewhere, does not see it. */
export function shellOwner(who: Principal, place: Workplace): string {
  const { principal, holder, folder } = toolCallerOf(who, place);
  return JSON.stringify([principal, holder.client, folder]);
}

export function createBackground(): Background {
  const tasks = new Map<string, BackgroundTask>();

  function prune(): void {
    const now = elapsed();
    for (const [id, { keptUntil }] of tasks) if (now > keptUntil) tasks.delete(id);
  }

  function find(owner: string, id: string): BackgroundTask {
    const task = tasks.get(id);
    if (!task || task.owner !== owner) {
      throw new HubError('not_found', `There is no background command ${excerpt(id, 60)}.`, {
        hint: 'Finished ones are kept for an hour, and none survives a restart of the hub.',
      });
    }
    return task;
  }

  return {
    find,
    start(owner, { command, cwd, shell, timeoutMs }) {
      prune();
      const running = [...tasks.values()].filter(({ ended }) => ended === undefined).length;
      if (running >= MOST_RUNNING)
        throw new HubError('limited', `${MOST_RUNNING} commands are running in the background already.`, {
          hint: 'End one with BashKill.',
        });
      const [stdout, stderr] = [new FollowedOutput(), new FollowedOutput()];
      const task: BackgroundTask = {
        id: newId(),
        owner,
        command,
        cwd,
        startedAt: Date.now(),
        stdout,
        stderr,
        running: launch(
          shell,
          { stdout: (chunk) => stdout.add(chunk), stderr: (chunk) => stderr.add(chunk) },
          timeoutMs,
        ),
        ended: undefined,
        finishedAt: undefined,
        keptUntil: Infinity,
        isCancelled: false,
      };
      const finish = (ended: Ended) => {
        for (const output of [stdout, stderr]) output.finish();
        task.ended = ended;
        task.finishedAt = Date.now();
        task.keptUntil = elapsed() + KEEP_MS;
      };
      task.running.ended.then(finish, (error: unknown) => {
        stderr.add(Buffer.from(error instanceof Error ? error.message : String(error)));
        finish({ exitCode: -1, signal: null, timedOut: false, durationMs: 0 });
      });
      tasks.set(task.id, task);
      return task;
    },
    async cancel(owner, id) {
      const task = find(owner, id);
      if (task.ended === undefined) {
        task.isCancelled = true;
        task.running.kill();
        await task.running.ended.catch(() => undefined);
      }
      return task;
    },
    async close() {
      const active = [...tasks.values()].filter(({ ended }) => ended === undefined);
      for (const task of active) task.running.kill();
      await Promise.allSettled(active.map((task) => task.running.ended));
    },
  };
}

export function stateOf({ ended, isCancelled }: BackgroundTask): TaskState {
  if (ended === undefined) return 'active';
  if (isCancelled) return 'cancelled';
  return ended.exitCode === 0 ? 'done' : 'failed';
}
