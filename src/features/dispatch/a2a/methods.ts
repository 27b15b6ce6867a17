import { setTimeout as sleep } from 'node:timers/promises';
import { HubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Principal } from '../../../kernel/principal.ts';
import { byRoute } from '../../../store/acting.ts';
import { asList, asObject, asText, type Json } from '../frames/common.ts';
import type { DispatchHouse } from '../house.ts';
import { callPrefix } from '../permissions.ts';
import { isOver, isPerson } from '../rules.ts';
import type { Run } from '../run.ts';
import { cancelRun, sendGoverned } from '../send-route.ts';
import { contextOf, runStatesOf, stateOf, statusOf, taskOf } from './task.ts';

/** The methods of A2A 1.0, over runs. */
export class A2aError extends Error {
  override readonly name = 'A2aError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export const CODES = {
  noMethod: -32_601,
  invalid: -32_602,
  internal: -32_603,
  noTask: -32_001,
  notCancelable: -32_002,
  unsupported: -32_004,
};
const NO_PUSH = -32_003;
const NO_CARD = -32_007;

export type A2aCall = Readonly<{ who: Principal; params: Json; signal: AbortSignal }>;

/** A result, or events until the end. */
export type A2aAnswer = Readonly<{ result: object } | { events(signal: AbortSignal): AsyncIterable<object> }>;

export async function answerA2a(house: DispatchHouse, method: string, call: A2aCall): Promise<A2aAnswer> {
  switch (method) {
    case 'SendMessage':
      return { result: { task: taskOf(await sendAndWait(house, call)) } };
    case 'SendStreamingMessage': {
      const run = await send(house, call);
      return { events: (signal) => eventsOf(house, run, 0, signal) };
    }
    case 'GetTask':
      return { result: taskOf(await find(house, call)) };
    case 'ListTasks':
      return { result: await list(house, call) };
    case 'CancelTask':
      return { result: taskOf(await cancel(house, call)) };
    case 'SubscribeToTask': {
      const run = await find(house, call);
      if (isOver(run.state))
        throw new A2aError(CODES.unsupported, 'The task is over; GetTask tells what came of it.');
      return { events: (signal) => eventsOf(house, run, run.nextEvent - 1, signal) };
    }
    case 'GetExtendedAgentCard':
      throw new A2aError(NO_CARD, 'There is no extended agent card.');
    default:
      if (/TaskPushNotificationConfigs?$/.test(method))
        throw new A2aError(NO_PUSH, 'Push notifications are set with /v1/webhooks.');
      throw new A2aError(CODES.noMethod, 'Method not found');
  }
}

async function send(house: DispatchHouse, { who, params, signal }: A2aCall): Promise<Run> {
  const message = asObject(params['message']);
  if (!message) throw new A2aError(CODES.invalid, 'params.message is missing.');
  const text = asList(message['parts'])
    .flatMap((part) => asText(asObject(part)?.['text']) ?? [])
    .join('\n');
  if (text.trim() === '') throw new A2aError(CODES.invalid, 'The message has no text part.');
  const taskId = asText(message['taskId']);
  if (taskId !== undefined && taskId !== '') return answerRun(house, who, taskId, text);
  const instance = agentIn(params['metadata']) ?? agentIn(message['metadata']);
  const request = { prompt: text, ...(instance !== undefined && { instance }) };
  const contextId = asText(message['contextId']) || newId();
  if (!isPerson(who)) return sendGoverned(house, who, request, signal);
  return house.dispatch.send(byRoute(who, 'a2a'), request, { contextId: contextId.slice(0, 200) });
}

function agentIn(metadata: unknown): string | undefined {
  const facts = asObject(metadata);
  return asText(facts?.['agent']) ?? asText(facts?.['skill']);
}

/** A message for a run that is under way: a decision of a person, or a word for its agent. */
async function answerRun(house: DispatchHouse, who: Principal, id: string, text: string): Promise<Run> {
  const run = await find(house, { who, params: { id } });
  if (isOver(run.state))
    throw new A2aError(CODES.unsupported, 'The task is over; send a message without its id.');
  const decision = { allow: 'allow_once', allow_once: 'allow_once', deny: 'deny' }[
    text.trim().toLowerCase()
  ] as 'allow_once' | 'deny' | undefined;
  if (run.reason === 'waiting_approval' && decision !== undefined && isPerson(who)) {
    const open = await openRequest(house, who, run.id);
    await house.broker.resolve(who, { id: open, decision });
  } else
    await house.acting.change(byRoute(who, 'a2a'), (tx, caller) =>
      house.dispatch.reply(tx, caller, { id, kind: 'progress', body: text }),
    );
  return find(house, { who, params: { id } });
}

const MOMENT_MS = 100;
const MOMENTS = 30;

/** A run says that it waits a moment before its request is there to be answered. */
async function openRequest({ acting, broker }: DispatchHouse, who: Principal, id: string): Promise<string> {
  for (let i = 0; i < MOMENTS; i += 1) {
    const [open] = await acting.look(byRoute(who, 'a2a'), (q) => broker.pendingOf(q, callPrefix(id)));
    if (open) return open.id;
    await sleep(MOMENT_MS);
  }
  throw new A2aError(CODES.unsupported, 'Nothing waits for an answer any more.');
}

/** Until it is over or needs somebody; with returnImmediately as it is. */
async function sendAndWait(house: DispatchHouse, call: A2aCall): Promise<Run> {
  const run = await send(house, call);
  const configuration = asObject(call.params['configuration']);
  if (configuration?.['returnImmediately'] === true) return run;
  for await (const { messages } of house.dispatch.channels.follow(run.id, run.nextEvent - 1, call.signal)) {
    const isWaiting = messages.some(
      ({ event, data }) => event === 'task' && /"reason":"waiting_/.test(String(data)),
    );
    if (isWaiting) break;
  }
  return find(house, { who: call.who, params: { id: run.id } });
}

async function find(
  { acting, dispatch }: DispatchHouse,
  { who, params }: Pick<A2aCall, 'who' | 'params'>,
): Promise<Run> {
  const id = asText(params['id']) ?? '';
  try {
    return await acting.look(byRoute(who, 'a2a'), (q) => dispatch.get(q, who, id));
  } catch (error) {
    if (error instanceof HubError && error.code === 'not_found')
      throw new A2aError(CODES.noTask, 'Task not found');
    throw error;
  }
}

async function list({ acting, dispatch }: DispatchHouse, { who, params }: A2aCall): Promise<object> {
  const asked = Number(params['pageSize'] ?? 50);
  const pageSize = Number.isInteger(asked) && asked >= 1 && asked <= 100 ? asked : 50;
  const state = asText(params['status']);
  const states =
    state === undefined || state === '' || state === 'TASK_STATE_UNSPECIFIED'
      ? undefined
      : runStatesOf(state);
  const filter = {
    limit: pageSize + 1,
    states,
    contextId: asText(params['contextId']) || undefined,
    before: asText(params['pageToken']) || undefined,
  };
  const runs = await acting.look(byRoute(who, 'a2a'), (q) => dispatch.list(q, who, filter));
  const shown = runs.slice(0, pageSize);
  const nextPageToken = runs.length > pageSize ? shown.at(-1)!.id : '';
  return { tasks: shown.map(taskOf), nextPageToken, pageSize, totalSize: shown.length };
}

async function cancel(house: DispatchHouse, call: A2aCall): Promise<Run> {
  const run = await find(house, call);
  if (isOver(run.state)) throw new A2aError(CODES.notCancelable, `The task is ${run.state} already.`);
  await cancelRun(house, call.who, run.id);
  const ended = await house.dispatch.wait([run.id], 'any', { timeoutMs: 15_000, signal: call.signal });
  return ended?.[0] ?? find(house, call);
}

/** A snapshot first, then what is said and how it stands, until it is over. */
async function* eventsOf(
  house: DispatchHouse,
  run: Run,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<object> {
  yield { task: taskOf(run) };
  const place = { taskId: run.id, contextId: contextOf(run) };
  for await (const { messages } of house.dispatch.channels.follow(run.id, after, signal)) {
    for (const { event, data } of messages) {
      const told = JSON.parse(String(data)) as {
        type?: string;
        text?: string;
        line?: string;
        status: Run['state'];
        reason?: string;
      };
      if (event === 'frame' && told.type === 'text') {
        const artifact = { artifactId: 'output', parts: [{ text: told.text ?? told.line ?? '' }] };
        yield { artifactUpdate: { ...place, artifact, append: true, lastChunk: false } };
      } else if (event === 'task') {
        const state = stateOf({ state: told.status, reason: told.reason ?? null });
        yield { statusUpdate: { ...place, status: { state, timestamp: new Date().toISOString() } } };
      } else if (event === 'terminal') {
        const ended = await house.acting.look({ who: SYSTEM, via: 'route', name: 'a2a' }, (q) =>
          house.dispatch.get(q, SYSTEM, run.id),
        );
        yield { statusUpdate: { ...place, status: statusOf(ended) } };
      }
    }
  }
}

const SYSTEM: Principal = { kind: 'system', id: 'system', scopes: new Set(['*']), seat: 'system', bound: {} };
