import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { Log } from '../../kernel/log.ts';
import type { Question, Reply } from '../ask.ts';
import type { Tool, ToolContext, ToolResult } from '../define.ts';
import { asCapabilities } from '../protocol/abilities.ts';
import { RPC, RpcError, isObject } from '../protocol/jsonrpc.ts';
import type { Params } from '../protocol/jsonrpc.ts';
import { answerOf, thrownAnswer } from '../result.ts';
import type { Answer } from '../result.ts';
import type { Exchange } from './exchange.ts';
import { fits } from './rounds.ts';

/**
 * Calls that go on after their request has been answered; the client asks how they are. They live in this process: a hub
 * that stops forgets them, so what a task changes must be safe to ask for again.
 */
export interface Tasks {
  /** Runs the work in the background, and throws `BecameTask` unless it is done in a moment. */
  start(tool: Tool, exchange: Exchange, context: ToolContext, work: Work): Promise<ToolResult<unknown>>;
  get(params: Params, exchange: Exchange): Answer;
  update(params: Params, exchange: Exchange): Answer;
  cancel(params: Params, exchange: Exchange): Answer;
}

type Work = (context: ToolContext) => Promise<ToolResult<unknown>>;

/** Thrown through the handler: its call is answered with a task, and the work goes on. */
export class BecameTask extends Error {
  override readonly name = 'BecameTask';
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('the work goes on as a task');
    this.answer = answer;
  }
}

type Waiting = Readonly<{ question: Question; resolve(reply: Reply): void }>;

type Task = {
  readonly id: string;
  readonly owner: string;
  readonly createdAt: number;
  readonly controller: AbortController;
  readonly waiting: Map<string, Waiting>;
  updatedAt: number;
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  /** The member that carries what came of it, once it is over. */
  outcome: string;
};

/** Work that ends this soon is answered at once: nobody likes to ask twice. */
const MOMENT_MS = 100;
const TTL_MS = 3_600_000;
const POLL_MS = 1_000;
const MAX_TASKS = 1_000;

export function createTasks({ clock, log }: Readonly<{ clock: Clock; log: Log }>): Tasks {
  const tasks = new Map<string, Task>();

  function sweep(): void {
    const now = clock.now();
    for (const task of tasks.values())
      if (isOver(task) && task.createdAt + TTL_MS < now) tasks.delete(task.id);
  }

  function move(task: Task, status: Task['status'], outcome = ''): void {
    if (isOver(task)) return;
    task.status = status;
    task.outcome = outcome;
    task.updatedAt = clock.now();
  }

  function find({ taskId }: Params, exchange: Exchange): Task {
    if (!exchange.can.has('tasks')) throw lackingTasks();
    const task = typeof taskId === 'string' ? tasks.get(taskId) : undefined;
    if (!task || task.owner !== ownerOf(exchange))
      throw new RpcError(RPC.invalidParams, 'Invalid params: unknown taskId');
    return task;
  }

  function askIn(
    task: Task,
    questions: Readonly<Record<string, Question>>,
  ): Promise<Readonly<Record<string, Reply>>> {
    return new Promise((resolve, reject) => {
      const replies: Record<string, Reply> = {};
      for (const [key, question] of Object.entries(questions)) {
        task.waiting.set(key, {
          question,
          resolve(reply) {
            replies[key] = reply;
            task.waiting.delete(key);
            if (task.waiting.size > 0) return;
            move(task, 'working');
            resolve(replies);
          },
        });
      }
      task.controller.signal.addEventListener('abort', () => reject(new Error('the task was cancelled')), {
        once: true,
      });
      move(task, 'input_required');
    });
  }

  function finish(task: Task, tool: Tool, result: ToolResult<unknown>): void {
    move(task, 'completed', `"result":{${answerOf(tool, result).members}}`);
  }

  /** A tool that failed has a result that says so; only a failure of the protocol is a failed task. */
  function fail(task: Task, tool: Tool, thrown: unknown): void {
    if (thrown instanceof RpcError)
      return move(
        task,
        'failed',
        `"error":${JSON.stringify({ code: thrown.code, message: thrown.message, ...(thrown.data && { data: thrown.data }) })}`,
      );
    const { answer, error } = thrownAnswer(thrown);
    if (error.code === 'internal' && task.status !== 'cancelled')
      log.error('a task failed', { tool: tool.name, task: task.id, error: error.cause ?? error });
    return move(task, 'completed', `"result":{${answer.members}}`);
  }

  return {
    async start(tool, exchange, context, work) {
      sweep();
      if (tasks.size >= MAX_TASKS) return work(context);
      const now = clock.now();
      const task: Task = {
        id: newId(),
        owner: ownerOf(exchange),
        createdAt: now,
        updatedAt: now,
        controller: new AbortController(),
        waiting: new Map(),
        status: 'working',
        outcome: '',
      };
      tasks.set(task.id, task);
      const { ended } = exchange.who.holds ?? {};
      const end = () => {
        move(task, 'cancelled');
        task.controller.abort();
      };
      ended?.addEventListener('abort', end, { once: true });
      const inside: ToolContext = {
        ...context,
        signal: task.controller.signal,
        deadline: now + TTL_MS,
        progress: () => undefined,
        ask: (questions) => askIn(task, questions),
      };
      const working = work(inside).finally(() => ended?.removeEventListener('abort', end));
      working.then(
        (result) => finish(task, tool, result),
        (thrown: unknown) => fail(task, tool, thrown),
      );
      const soon = await Promise.race([working, sleep(MOMENT_MS, undefined, { ref: false })]).finally(
        () => isOver(task) && tasks.delete(task.id),
      );
      if (soon) return soon;
      throw new BecameTask({ type: 'task', members: membersOf(task) });
    },
    get: (params, exchange) => {
      const task = find(params, exchange);
      const questions = Object.fromEntries([...task.waiting].map(([key, { question }]) => [key, question]));
      const asked = task.status === 'input_required' ? `,"inputRequests":${JSON.stringify(questions)}` : '';
      return { members: `${membersOf(task)}${asked}${task.outcome === '' ? '' : `,${task.outcome}`}` };
    },
    update(params, exchange) {
      const task = find(params, exchange);
      const { inputResponses } = params;
      if (!isObject(inputResponses))
        throw new RpcError(RPC.invalidParams, 'Invalid params: inputResponses must be an object');
      for (const [key, reply] of Object.entries(inputResponses)) {
        const waiting = task.waiting.get(key);
        if (!waiting) continue;
        if (!isObject(reply) || !fits(waiting.question, reply))
          throw new RpcError(
            RPC.invalidParams,
            `Invalid params: inputResponses.${key} is not an answer to ${waiting.question.method}`,
          );
        waiting.resolve(reply);
      }
      return { members: '' };
    },
    cancel(params, exchange) {
      const task = find(params, exchange);
      move(task, 'cancelled');
      task.controller.abort();
      return { members: '' };
    },
  };
}

export function lackingTasks(): RpcError {
  return new RpcError(RPC.missingCapability, 'This request needs a client with the tasks extension', {
    data: { requiredCapabilities: asCapabilities('tasks') },
    status: 400,
  });
}

function isOver({ status }: Task): boolean {
  return status !== 'working' && status !== 'input_required';
}

function ownerOf({ server, who }: Exchange): string {
  return `${server.key} ${who.kind}:${who.id}`;
}

function membersOf({ id, status, createdAt, updatedAt }: Task): string {
  const [created, updated] = [createdAt, updatedAt].map((ms) => new Date(ms).toISOString());
  return `"taskId":"${id}","status":"${status}","createdAt":"${created}","lastUpdatedAt":"${updated}","ttlMs":${TTL_MS},"pollIntervalMs":${POLL_MS}`;
}
