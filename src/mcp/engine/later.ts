// Work put off by `ToolContext.later`. It lives in this process: a hub that stops forgets it, so what it changes must be
// safe to ask for again. What has to outlive the hub is kept by a room.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { Log } from '../../kernel/log.ts';
import type { Question, Reply } from '../ask.ts';
import type { Tool, ToolContext, ToolResult } from '../define.ts';
import { RpcError } from '../protocol/jsonrpc.ts';
import { answerOf, thrownAnswer } from '../result.ts';
import { isTaskOver, type KeptTask, type TaskSource, type TaskStanding } from '../task-source.ts';
import type { Exchange } from './exchange.ts';

export interface LaterWork {
  /** How a call starts work that goes on in the background; a result that names a task unless it is done in a moment. */
  starting(
    tool: Tool,
    exchange: Exchange,
    context: ToolContext,
  ): (work: Work) => Promise<ToolResult<unknown>>;
  sourceOf(server: Pick<Exchange['server'], 'key'>): TaskSource;
}

type Work = (context: ToolContext) => Promise<ToolResult<unknown>>;
type Waiting = Readonly<{ question: Question; resolve(reply: Reply): void }>;

type Entry = {
  task: KeptTask;
  readonly owner: string;
  /** By what has passed. */
  readonly keptUntil: number;
  readonly controller: AbortController;
  readonly waiting: Map<string, Waiting>;
  readonly watchers: Set<() => void>;
};

/** Work that ends this soon is answered at once: nobody likes to ask twice. */
const MOMENT_MS = 100;
const TTL_MS = 3_600_000;
const MAX_TASKS = 1_000;

export function createLaterWork({ clock, log }: Readonly<{ clock: Clock; log: Log }>): LaterWork {
  const entries = new Map<string, Entry>();

  function sweep(): void {
    const now = clock.elapsed();
    for (const { task, keptUntil } of entries.values())
      if (isTaskOver(task) && keptUntil < now) entries.delete(task.id);
  }

  function move(entry: Entry, standing: TaskStanding): void {
    if (isTaskOver(entry.task)) return;
    const { id, createdAt, ttlMs } = entry.task;
    entry.task = { id, createdAt, ttlMs, updatedAt: clock.now(), ...standing };
    for (const tell of entry.watchers) tell();
  }

  function askIn(
    entry: Entry,
    questions: Readonly<Record<string, Question>>,
  ): Promise<Readonly<Record<string, Reply>>> {
    const open = () => Object.fromEntries([...entry.waiting].map(([key, { question }]) => [key, question]));
    return new Promise((resolve, reject) => {
      const replies: Record<string, Reply> = {};
      for (const [key, question] of Object.entries(questions)) {
        entry.waiting.set(key, {
          question,
          resolve(reply) {
            replies[key] = reply;
            entry.waiting.delete(key);
            if (entry.waiting.size > 0) return move(entry, { status: 'input_required', questions: open() });
            move(entry, { status: 'working' });
            resolve(replies);
          },
        });
      }
      entry.controller.signal.addEventListener('abort', () => reject(new Error('the task was cancelled')), {
        once: true,
      });
      move(entry, { status: 'input_required', questions: open() });
    });
  }

  /** A tool that failed has a result that says so; only a failure of the protocol is a failed task. */
  function fail(entry: Entry, tool: Tool, thrown: unknown): void {
    if (thrown instanceof RpcError) {
      const { code, message, data } = thrown;
      return move(entry, { status: 'failed', error: { code, message, ...(data && { data }) } });
    }
    const { answer, error } = thrownAnswer(thrown, tool);
    if (error.code === 'internal' && entry.task.status !== 'cancelled')
      log.error('a task failed', { tool: tool.name, task: entry.task.id, error: error.cause ?? error });
    return move(entry, { status: 'completed', answer });
  }

  function end(entry: Entry): void {
    move(entry, { status: 'cancelled' });
    entry.controller.abort();
  }

  return {
    starting: (tool, exchange, context) => async (work) => {
      sweep();
      if (entries.size >= MAX_TASKS) return work(context);
      const now = clock.now();
      const id = newId();
      const entry: Entry = {
        task: { id, createdAt: now, updatedAt: now, ttlMs: TTL_MS, status: 'working' },
        owner: ownerOf(exchange.server, exchange.who),
        keptUntil: clock.elapsed() + TTL_MS,
        controller: new AbortController(),
        waiting: new Map(),
        watchers: new Set(),
      };
      entries.set(id, entry);
      const { ended } = exchange.who.holds ?? {};
      const leave = () => end(entry);
      ended?.addEventListener('abort', leave, { once: true });
      const inside: ToolContext = {
        ...context,
        signal: entry.controller.signal,
        deadline: now + TTL_MS,
        progress: () => undefined,
        isFollowed: false,
        ask: (questions) => askIn(entry, questions),
      };
      const working = work(inside).finally(() => ended?.removeEventListener('abort', leave));
      working.then(
        (result) => move(entry, { status: 'completed', answer: answerOf(tool, result) }),
        (thrown: unknown) => fail(entry, tool, thrown),
      );
      const soon = await Promise.race([working, sleep(MOMENT_MS, undefined, { ref: false })]).finally(
        () => isTaskOver(entry.task) && entries.delete(id),
      );
      return soon ?? { ok: true, value: undefined, task: id };
    },
    sourceOf: (server) => ({
      async find(id, { who }) {
        const entry = entries.get(id);
        return entry?.owner === ownerOf(server, who) ? entry.task : undefined;
      },
      async answer({ id }, replies) {
        const waiting = entries.get(id)?.waiting;
        for (const [key, reply] of Object.entries(replies)) waiting?.get(key)?.resolve(reply);
      },
      async cancel({ id }) {
        const entry = entries.get(id);
        if (entry) end(entry);
      },
      changed: (seen, _, signal) =>
        new Promise((resolve, reject) => {
          const entry = entries.get(seen.id);
          if (!entry || entry.task !== seen) return resolve(entry?.task);
          const tell = () => {
            entry.watchers.delete(tell);
            signal.removeEventListener('abort', giveUp);
            resolve(entry.task);
          };
          const giveUp = () => {
            entry.watchers.delete(tell);
            reject(new Error('nobody listens any more'));
          };
          entry.watchers.add(tell);
          signal.addEventListener('abort', giveUp, { once: true });
        }),
    }),
  };
}

function ownerOf({ key }: Pick<Exchange['server'], 'key'>, { kind, id }: Exchange['who']): string {
  return `${key} ${kind}:${id}`;
}
