import { newId } from '../../../kernel/ids.ts';
import { byRoute } from '../../../store/calls.ts';
import type { NewPush } from '../hooks/hooks.ts';
import { asObject, asText, type Json } from '../frames/common.ts';
import type { Hook } from '../rows/hooks.ts';
import { type A2aCall, type A2aParts, find } from './call.ts';
import { A2aError } from './errors.ts';

/**
 * Push notifications of A2A: webhooks of one run in A2A's form. They are posted by the same queue as every
 * webhook: signed, tried again, and only to public addresses. What proves the sender is shown to nobody
 * again.
 */
export async function createPush(parts: A2aParts, call: A2aCall): Promise<object> {
  const run = await find(parts, call, 'taskId');
  const push = readPush(pushIn(call.params) ?? call.params, run.id);
  const hook = await parts.acting.change(byRoute(call.who, 'a2a'), (tx, caller) =>
    parts.hooks.in(tx, caller).setPush(push),
  );
  return presentPush(hook);
}

export async function listPush(parts: A2aParts, call: A2aCall): Promise<object> {
  return { configs: (await hooksOf(parts, call)).map(presentPush), nextPageToken: '' };
}

export async function getPush(parts: A2aParts, call: A2aCall): Promise<object> {
  return presentPush(await hookOf(parts, call));
}

/** What is gone already is as gone as what goes now. */
export async function deletePush(parts: A2aParts, call: A2aCall): Promise<object> {
  const hook = await findHook(parts, call);
  if (!hook) return {};
  await parts.acting.change(byRoute(call.who, 'a2a'), (tx, caller) =>
    parts.hooks.in(tx, caller).remove(hook.id),
  );
  return {};
}

async function hooksOf(parts: A2aParts, call: A2aCall): Promise<Hook[]> {
  const run = await find(parts, call, 'taskId');
  return parts.acting.look(byRoute(call.who, 'a2a'), (q, caller) => parts.hooks.at(q, caller).push(run.id));
}

async function findHook(parts: A2aParts, call: A2aCall): Promise<Hook | undefined> {
  const name = asText(call.params['id']);
  if (!name) throw new A2aError('invalid', 'id is required.');
  return (await hooksOf(parts, call)).find((hook) => hook.name === name);
}

async function hookOf(parts: A2aParts, call: A2aCall): Promise<Hook> {
  const found = await findHook(parts, call);
  if (!found) throw new A2aError('taskNotFound', 'The task has no such push notification config.');
  return found;
}

/** Under its name of 1.0, or the one that drafts of it had. */
export function pushIn(message: Json): Json | undefined {
  return asObject(message['taskPushNotificationConfig'] ?? message['pushNotificationConfig']);
}

export function readPush(config: Json, runId: string): NewPush {
  const auth = asObject(config['authentication']);
  const [token, scheme, credentials] = [
    headerText(config['token'], 'token'),
    headerText(auth?.['scheme'], 'authentication.scheme'),
    headerText(auth?.['credentials'], 'authentication.credentials'),
  ];
  return {
    runId,
    name: (asText(config['id']) || newId()).slice(0, 100),
    url: asText(config['url']) ?? '',
    auth: { ...(token && { token }), ...(scheme && { scheme }), ...(credentials && { credentials }) },
  };
}

const MOST_HEADER = 4_096;

/** What goes into a header must not be able to begin another one. */
function headerText(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const text = asText(value);
  if (text !== undefined && text.length <= MOST_HEADER && /^[\x20-\x7e]+$/.test(text)) return text;
  throw new A2aError('invalid', `${name} must be a line of plain characters.`);
}

function presentPush({ runId, name, url, auth }: Hook): object {
  return { id: name, taskId: runId, url, ...(auth?.scheme && { authentication: { scheme: auth.scheme } }) };
}
