import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../../kernel/ids.ts';
import { isPerson, type Principal, systemPrincipal } from '../../../kernel/principal.ts';
import { byRoute, callerOf } from '../../../store/calls.ts';
import { asList, asObject, asText, type Json } from '../frames/common.ts';
import { callPrefix } from '../attempt/permissions.ts';
import type { EventKind } from '../rows/events.ts';
import { isOver } from '../rules.ts';
import type { Run } from '../run.ts';
import type { SendMore } from '../start/sender.ts';
import { type A2aCall, type A2aParts, find } from './call.ts';
import { A2aError } from './errors.ts';
import { countIn, listTasks } from './list.ts';
import { createPush, deletePush, getPush, listPush, pushIn, readPush } from './push.ts';
import { toldTask } from './history.ts';
import { contextOf, streamResponseOf, type TaskExtent } from './task.ts';

/** The methods of A2A 1.0, over runs. A result, or events until the end. */
export type A2aAnswer = Readonly<{ result: object } | { events(signal: AbortSignal): AsyncIterable<object> }>;

type A2aMethod = (parts: A2aParts, call: A2aCall) => Promise<A2aAnswer>;

const answering =
  (work: (parts: A2aParts, call: A2aCall) => Promise<object>): A2aMethod =>
  async (parts, call) => ({ result: await work(parts, call) });

const METHODS: ReadonlyMap<string, A2aMethod> = new Map([
  ['SendMessage', answering(sendAndWait)],
  [
    'SendStreamingMessage',
    async (parts: A2aParts, call: A2aCall) => {
      const extent = configuredExtent(call);
      const { run } = await send(parts, call);
      const { who } = call;
      return { events: (signal: AbortSignal) => eventsOf(parts, { run, after: 0, who, extent }, signal) };
    },
  ],
  [
    'GetTask',
    answering(async (parts, call) => {
      const extent = extentOf(call.params);
      return toldTask(parts, await find(parts, call), { who: call.who, extent });
    }),
  ],
  ['ListTasks', answering(listTasks)],
  ['CancelTask', answering(async (parts, call) => toldTask(parts, await cancel(parts, call), call))],
  [
    'SubscribeToTask',
    async (parts: A2aParts, call: A2aCall) => {
      const run = await find(parts, call);
      if (isOver(run.state))
        throw new A2aError('unsupported', 'The task is over; GetTask tells what came of it.');
      const [after, extent, { who }] = [run.nextEvent - 1, configuredExtent(call), call];
      return { events: (signal: AbortSignal) => eventsOf(parts, { run, after, who, extent }, signal) };
    },
  ],
  ['CreateTaskPushNotificationConfig', answering(createPush)],
  ['GetTaskPushNotificationConfig', answering(getPush)],
  ['ListTaskPushNotificationConfigs', answering(listPush)],
  ['DeleteTaskPushNotificationConfig', answering(deletePush)],
  [
    'GetExtendedAgentCard',
    async () => {
      throw new A2aError('unsupported', 'There is no extended agent card; the public one says everything.');
    },
  ],
]);

export const METHOD_NAMES: readonly string[] = [...METHODS.keys()];

export async function answerA2a(parts: A2aParts, name: string, call: A2aCall): Promise<A2aAnswer> {
  const method = METHODS.get(name);
  if (!method) throw new A2aError('noMethod', 'Method not found');
  return method(parts, call);
}

/** `after`: what its events are from there on is the answer to this message. */
type Sent = Readonly<{ run: Run; after: number }>;

async function send(parts: A2aParts, call: A2aCall): Promise<Sent> {
  const { who, params, signal } = call;
  const message = asObject(params['message']);
  if (!message) throw new A2aError('invalid', 'params.message is missing.');
  const text = textIn(message);
  const taskId = asText(message['taskId']);
  if (taskId !== undefined && taskId !== '') {
    const run = await answerRun(parts, { who, taskId, message, text });
    return { run, after: run.nextEvent - 1 };
  }
  const instance = agentIn(params['metadata']) ?? agentIn(message['metadata']);
  const request = { prompt: text, ...(instance !== undefined && { instance }) };
  const push = pushIn(asObject(params['configuration']) ?? {});
  if (push && !isPerson(who)) throw new A2aError('unsupported', 'Push notifications are for persons to set.');
  const byA2a = byRoute(who, 'a2a');
  const more: SendMore = {
    contextId: (asText(message['contextId']) || newId()).slice(0, 200),
    messageId: messageIdIn(message),
    // With the run itself, so that not even its first word is missed.
    ...(push && {
      alongside: async (tx, run) => {
        await parts.hooks.in(tx, callerOf(byA2a)).setPush(readPush(push, run.id));
      },
    }),
  };
  const { task_id: id } = await parts.orders.send(byA2a, request, { signal, more });
  return { run: await parts.dispatch.get(byA2a, id), after: 0 };
}

function textIn(message: Json): string {
  const parts = asList(message['parts'])
    .map(asObject)
    .filter((part) => part !== undefined);
  // What an agent would not see is refused, also beside words that it would.
  if (parts.some((part) => 'raw' in part || 'url' in part || 'data' in part))
    throw new A2aError('contentType', 'Only text is taken; put other things into files of the project.');
  const text = parts.flatMap((part) => asText(part['text']) ?? []).join('\n');
  if (text.trim() !== '') return text;
  throw new A2aError('invalid', 'The message has no text part.');
}

/** The sender's own name for a message; ours where it has none. */
function messageIdIn(message: Json): string | undefined {
  return asText(message['messageId'])?.slice(0, 200) || undefined;
}

function agentIn(metadata: unknown): string | undefined {
  const facts = asObject(metadata);
  return asText(facts?.['agent']) ?? asText(facts?.['skill']);
}

type Answering = Readonly<{ who: Principal; taskId: string; message: Json; text: string }>;

/** A message for a run that is under way: a decision of a person, or a word for its agent. */
async function answerRun(parts: A2aParts, { who, taskId: id, message, text }: Answering): Promise<Run> {
  const run = await find(parts, { who, params: { id } });
  const contextId = asText(message['contextId']);
  if (contextId && contextId !== contextOf(run))
    throw new A2aError('invalid', 'message.contextId is not that of the task.');
  if (isOver(run.state))
    throw new A2aError('unsupported', 'The task is over; send a message without its id.');
  const said = { id, kind: 'progress', body: text, messageId: messageIdIn(message) } as const;
  const say = () =>
    parts.acting.change(byRoute(who, 'a2a'), (tx, caller) => parts.dispatch.in(tx, caller).reply(said));
  const decision = { allow: 'allow_once', allow_once: 'allow_once', deny: 'deny' }[
    text.trim().toLowerCase()
  ] as 'allow_once' | 'deny' | undefined;
  if (run.reason === 'waiting_approval' && decision !== undefined && isPerson(who)) {
    const open = await openRequest(parts, who, run.id);
    await say();
    await parts.acting.change(byRoute(who, 'a2a'), (tx, caller) =>
      parts.broker.in(tx, caller).resolve({ id: open, decision }),
    );
  } else await say();
  return find(parts, { who, params: { id } });
}

const MOMENT_MS = 100;
const MOMENTS = 30;

/** A run says that it waits a moment before its request is there to be answered. */
async function openRequest({ acting, broker }: A2aParts, who: Principal, id: string): Promise<string> {
  for (let i = 0; i < MOMENTS; i += 1) {
    const [open] = await acting.look(byRoute(who, 'a2a'), (q, caller) =>
      broker.at(q, caller).ofCalls(callPrefix(id)),
    );
    if (open) return open.id;
    await sleep(MOMENT_MS);
  }
  throw new A2aError('unsupported', 'Nothing waits for an answer any more.');
}

/** Until it is over or needs somebody; with returnImmediately as it is. */
async function sendAndWait(parts: A2aParts, call: A2aCall): Promise<object> {
  const extent = configuredExtent(call);
  const { run, after } = await send(parts, call);
  const isPatient = asObject(call.params['configuration'])?.['returnImmediately'] !== true;
  const { who } = call;
  if (!isPatient || isOver(run.state)) return { task: await toldTask(parts, run, { who, extent }) };
  for await (const { messages } of parts.dispatch.channels.follow(run.id, after, call.signal)) {
    const isWaiting = messages.some(
      ({ event, data }) => event === 'task' && /"reason":"waiting_/.test(String(data)),
    );
    if (isWaiting) break;
  }
  const now = await find(parts, { who, params: { id: run.id } });
  return { task: await toldTask(parts, now, { who, extent }) };
}

function configuredExtent({ params }: A2aCall): TaskExtent {
  return extentOf(asObject(params['configuration']) ?? {});
}

function extentOf(params: Json): TaskExtent {
  return { historyLength: countIn(params['historyLength'], 'historyLength', [0, Number.MAX_SAFE_INTEGER]) };
}

async function cancel(parts: A2aParts, call: A2aCall): Promise<Run> {
  const run = await find(parts, call);
  if (isOver(run.state)) throw new A2aError('taskNotCancelable', `The task is ${run.state} already.`);
  const byA2a = byRoute(call.who, 'a2a');
  await parts.dispatch.cancel(byA2a, run.id);
  const ended = await parts.dispatch.wait(byA2a, [run.id], { timeoutMs: 15_000, signal: call.signal });
  return ended?.[0] ?? find(parts, call);
}

type Followed = Readonly<{ run: Run; after: number; who: Principal; extent: TaskExtent }>;

/** The end is told as it is, whoever may see the run by then. */
const BY_HUB = byRoute(systemPrincipal, 'a2a');

/** A snapshot first, then what is said and how it stands, until it is over. */
async function* eventsOf(
  parts: A2aParts,
  { run, after, who, extent }: Followed,
  signal: AbortSignal,
): AsyncGenerator<object> {
  yield { task: await toldTask(parts, run, { who, extent }) };
  const { dispatch } = parts;
  for await (const { messages } of dispatch.channels.follow(run.id, after, signal)) {
    for (const { event, data } of messages) {
      const now = event === 'terminal' ? await dispatch.get(BY_HUB, run.id) : run;
      const response = streamResponseOf(now, event as EventKind, JSON.parse(String(data)) as object);
      if (response) yield response;
    }
  }
}
