// Commands in the background as tasks of the MCP extension. They end with the hub, and their tasks with them.
import { unlessUnknown } from '../../../kernel/errors.ts';
import { hasScope, type Principal } from '../../../kernel/principal.ts';
import type { KeptTask, TaskSource } from '../../../mcp/task-source.ts';
import type { Broker } from '../../broker/broker.ts';
import type { Workplace } from '../../projects/projects.ts';
import { type Background, type BackgroundTask, KEEP_MS, shellOwner, stateOf } from './background.ts';

type LateAnswer = Broker['lateAnswer'];

/** Of each stream, its end; all of it is read with BashOutput. */
const SHOWN = 96 * 1024;

export type TaskParts = Readonly<{ answer: LateAnswer; workplaceOf(who: Principal): Promise<Workplace> }>;

export function backgroundTasks(background: Background, { answer, workplaceOf }: TaskParts): TaskSource {
  async function own(id: string, who: Principal): Promise<BackgroundTask | undefined> {
    if (!hasScope(who, 'tools:call')) return undefined;
    try {
      return background.find(shellOwner(who, await workplaceOf(who)), id);
    } catch (error) {
      return unlessUnknown(error);
    }
  }

  async function taskOf(task: BackgroundTask, who: Principal): Promise<KeptTask> {
    const { id, startedAt, finishedAt } = task;
    const state = stateOf(task);
    const base = {
      id,
      createdAt: startedAt,
      updatedAt: finishedAt ?? startedAt,
      ttlMs: finishedAt === undefined ? null : finishedAt - startedAt + KEEP_MS,
    };
    if (state === 'active') return { ...base, status: 'working', message: 'The command is running.' };
    if (state === 'cancelled') return { ...base, status: 'cancelled' };
    const late = await answer('Bash', who, { ok: true, value: resultOf(task) });
    return { ...base, status: 'completed', answer: late };
  }

  return {
    async find(id, { who }) {
      const task = await own(id, who);
      return task && taskOf(task, who);
    },
    // A command asks nobody.
    async answer() {},
    async cancel({ id }, { who }) {
      const task = await own(id, who);
      if (task) await background.cancel(task.owner, id);
    },
    async changed({ id }, { who }, signal) {
      const task = await own(id, who);
      if (!task) return undefined;
      await Promise.race([task.running.ended.catch(() => undefined), aborted(signal)]);
      return taskOf(task, who);
    },
  };
}

function resultOf(task: BackgroundTask) {
  const [stdout, stderr] = [task.stdout.end(SHOWN), task.stderr.end(SHOWN)];
  return {
    command: task.command,
    cwd: task.cwd,
    stdout: stdout.text,
    stderr: stderr.text,
    exit_code: task.ended!.exitCode,
    timed_out: task.ended!.timedOut,
    duration_ms: task.ended!.durationMs,
    truncated: stdout.isCut || stderr.isCut,
    task_id: task.id,
  };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new Error('nobody listens any more'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
