// The methods of the tasks extension, over whatever keeps the tasks of a server.
import { isObject } from '../../kernel/loose-json.ts';
import type { Question, Reply } from '../ask.ts';
import { asCapabilities } from '../protocol/abilities.ts';
import { invalidParams, type Params, RPC, RpcError } from '../protocol/jsonrpc.ts';
import type { Answer } from '../result.ts';
import type { KeptTask, TaskSource } from '../task-source.ts';
import type { Exchange } from './exchange.ts';
import { type LaterWork, createLaterWork } from './later.ts';
import { fits } from './rounds.ts';

export interface Tasks extends Pick<LaterWork, 'starting'> {
  /** The answer to a call whose work goes on under this id; undefined when its client sees no such task. */
  created(id: string, exchange: Exchange): Promise<Answer | undefined>;
  /** The task of that id and where it is kept, if this caller has one. */
  look(id: string, exchange: Exchange): Promise<FoundTask | undefined>;
  get(params: Params, exchange: Exchange): Promise<Answer>;
  update(params: Params, exchange: Exchange): Promise<Answer>;
  cancel(params: Params, exchange: Exchange): Promise<Answer>;
}

export type FoundTask = Readonly<{ task: KeptTask; source: TaskSource }>;

const POLL_MS = 1_000;
const MAX_ID = 200;

export function createTasks(parts: Parameters<typeof createLaterWork>[0]): Tasks {
  const later = createLaterWork(parts);

  async function look(id: string, exchange: Exchange): Promise<FoundTask | undefined> {
    const sources = [later.sourceOf(exchange.server), ...(exchange.server.tasks ?? [])];
    for (const source of sources) {
      const task = await source.find(id, exchange);
      if (task) return { task, source };
    }
    return undefined;
  }

  async function find({ taskId }: Params, exchange: Exchange): Promise<FoundTask> {
    if (!exchange.can.has('tasks')) throw lackingTasks();
    const isId = typeof taskId === 'string' && taskId.length <= MAX_ID;
    const found = isId ? await look(taskId, exchange) : undefined;
    if (!found) throw invalidParams('unknown taskId');
    return found;
  }

  return {
    starting: later.starting,
    look,
    async created(id, exchange) {
      const found = await look(id, exchange);
      return found && { type: 'task', members: membersOf(found.task) };
    },
    async get(params, exchange) {
      return { members: detailsOf((await find(params, exchange)).task) };
    },
    async update(params, exchange) {
      const { task, source } = await find(params, exchange);
      const { inputResponses } = params;
      if (!isObject(inputResponses)) throw invalidParams('inputResponses must be an object');
      const questions = task.status === 'input_required' ? task.questions : {};
      await source.answer(task, repliesTo(questions, inputResponses), exchange);
      return { members: '' };
    },
    async cancel(params, exchange) {
      const { task, source } = await find(params, exchange);
      await source.cancel(task, exchange);
      return { members: '' };
    },
  };
}

/** What answers nothing that is asked is left out: the question may have been answered elsewhere. */
function repliesTo(questions: Readonly<Record<string, Question>>, responses: Params): Record<string, Reply> {
  const replies: Record<string, Reply> = {};
  for (const [key, reply] of Object.entries(responses)) {
    const question = Object.hasOwn(questions, key) ? questions[key] : undefined;
    if (!question) continue;
    if (!isObject(reply) || !fits(question, reply))
      throw invalidParams(`inputResponses.${key} is not an answer to ${question.method}`);
    replies[key] = reply;
  }
  return replies;
}

export function lackingTasks(): RpcError {
  return new RpcError(RPC.missingCapability, 'This request needs a client with the tasks extension', {
    data: { requiredCapabilities: asCapabilities('tasks') },
    status: 400,
  });
}

/** May work of this server go on as a task for this client? */
export function canHaveTasks({ server, era, can }: Exchange): boolean {
  return server.tasks !== undefined && era === 'modern' && can.has('tasks');
}

function membersOf({ id, status, createdAt, updatedAt, ttlMs, message }: KeptTask): string {
  return JSON.stringify({
    taskId: id,
    status,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs,
    pollIntervalMs: POLL_MS,
    ...(message !== undefined && { statusMessage: message }),
  }).slice(1, -1);
}

/** The members of a task with what it asks for, or what came of it. */
export function detailsOf(task: KeptTask): string {
  const members = membersOf(task);
  if (task.status === 'input_required') return `${members},"inputRequests":${JSON.stringify(task.questions)}`;
  if (task.status === 'failed') return `${members},"error":${JSON.stringify(task.error)}`;
  if (task.status !== 'completed') return members;
  // A whole result of this era, as its call would have been answered: the official client reads it as one.
  const { members: result, meta } = task.answer;
  return `${members},"result":{"resultType":"complete",${result}${meta ? `,"_meta":${JSON.stringify(meta)}` : ''}}`;
}
