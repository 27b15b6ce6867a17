// Work that goes on after its call was answered, and where it is kept. The tasks extension is one face of it; the room
// that keeps the work decides what it is, how long it is known and whom it belongs to.
import type { Principal } from '../kernel/principal.ts';
import type { Question, Reply } from './ask.ts';
import type { Abilities } from './protocol/abilities.ts';
import type { Answer } from './result.ts';

/** Who asks for a task, and what this client can be asked in turn. */
export type TaskCaller = Readonly<{ who: Principal; can: Abilities }>;

export type TaskStanding =
  | Readonly<{ status: 'working' | 'cancelled' }>
  | Readonly<{ status: 'input_required'; questions: Readonly<Record<string, Question>> }>
  /** Also of work that failed in its own terms: then the answer says so. */
  | Readonly<{ status: 'completed'; answer: Answer }>
  | Readonly<{ status: 'failed'; error: Readonly<{ code: number; message: string; data?: object }> }>;

export type KeptTask = TaskStanding &
  Readonly<{
    id: string;
    createdAt: number;
    updatedAt: number;
    /** From its making; null while nobody can tell how long it will be known. */
    ttlMs: number | null;
    message?: string;
  }>;

export type TaskSource = Readonly<{
  /** Undefined: there is no such task for this caller, whether or not there is one for others. */
  find(id: string, caller: TaskCaller): Promise<KeptTask | undefined>;
  /** Replies to questions that `find` has just shown, each checked to be one. */
  answer(task: KeptTask, replies: Readonly<Record<string, Reply>>, caller: TaskCaller): Promise<void>;
  /** What is over stays as it is. */
  cancel(task: KeptTask, caller: TaskCaller): Promise<void>;
  /** Resolves with what has become of it as soon as it is no longer as `seen`; rejects when aborted. */
  changed(seen: KeptTask, caller: TaskCaller, signal: AbortSignal): Promise<KeptTask | undefined>;
}>;

export function isTaskOver({ status }: Pick<KeptTask, 'status'>): boolean {
  return status !== 'working' && status !== 'input_required';
}

/** Do both say the same of a task? Answers do not change once they are there. */
export function isSameStanding(one: KeptTask, other: KeptTask): boolean {
  const keys = (task: KeptTask) =>
    task.status === 'input_required' ? Object.keys(task.questions).join(' ') : '';
  return one.status === other.status && one.updatedAt === other.updatedAt && keys(one) === keys(other);
}
