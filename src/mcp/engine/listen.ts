// Tells clients of changes: notifications of the sessions, and the subscriptions of the newer era.
import { isObject } from '../../kernel/loose-json.ts';
import type { Principal } from '../../kernel/principal.ts';
import { canSee } from '../../kernel/visibility.ts';
import { whenAborted } from '../../kernel/when-aborted.ts';
import type { ServerChange, Changes } from '../changes.ts';
import { META } from '../protocol/envelope.ts';
import { type Id, invalidParams, type Params } from '../protocol/jsonrpc.ts';
import type { Answer } from '../result.ts';
import type { ListKind } from '../server.ts';
import { isTaskOver, type KeptTask } from '../task-source.ts';
import type { Exchange, ExchangeSettings } from './exchange.ts';
import { type FoundTask, type Tasks, canHaveTasks, detailsOf } from './tasks.ts';

const LISTS: readonly ListKind[] = ['tools', 'prompts', 'resources'];

/** What one listener gets to hear, cut down to what the server announces and the caller may see. */
type Filter = Readonly<{
  server: string;
  who: Principal;
  lists: ReadonlySet<ListKind>;
  uris: ReadonlySet<string>;
}>;

type ListenParts = Readonly<{
  changes: Changes;
  stopping: AbortSignal;
  tasks: Pick<Tasks, 'look'>;
  maxWatched: number;
}>;

/**
 * `subscriptions/listen`: one long request. The acknowledgement comes first and everything after it
 * carries the request's id; it ends with a result when the hub stops, and silently when the client leaves.
 */
export async function listen(
  { params, id }: Readonly<{ params: Params; id: Id }>,
  exchange: Exchange,
  { changes, stopping, tasks, maxWatched }: ListenParts,
): Promise<Answer> {
  const filter = await honoured(params['notifications'], exchange, maxWatched);
  const meta = { [META.subscription]: id };
  const notify = (method: string, extra: Params) => exchange.peer.notify(method, { ...extra, _meta: meta });
  const watched = await watchedTasks(params['notifications'], exchange, { tasks, maxWatched });
  notify('notifications/subscriptions/acknowledged', {
    notifications: {
      ...asNotifications(filter),
      ...(watched.length > 0 && { taskIds: watched.map(({ task }) => task.id) }),
    },
  });
  if (filter.lists.size > 0 || filter.uris.size > 0 || watched.length > 0) {
    const stop = changes.subscribe((change) => tell(change, filter, notify));
    const ended = AbortSignal.any([exchange.signal, stopping]);
    for (const found of watched) void tellOfTask(found, exchange, { notify, ended });
    await whenAborted(ended);
    stop();
  }
  return { members: '', meta };
}

/** Whom a legacy connection belongs to and what it has set. */
export type ListeningConnection = Readonly<{
  server: Exchange['server'];
  who: Principal;
  settings: ExchangeSettings;
  /** Who it turned out to be; `who` until then. */
  caller?(): Principal;
  /** It was told that it may be woken as Claude Code is. */
  hasChannel?: boolean;
}>;

/** The same for a legacy connection, which hears of every list and of the resources it watches. */
export function relay(
  { server, who, settings }: ListeningConnection,
  changes: Changes,
  notify: (method: string, params?: Params) => void,
): () => void {
  const filter = { server: server.key, who, lists: new Set(announcedLists(server)), uris: settings.watched };
  return changes.subscribe((change) =>
    tell(change, filter, (method, extra) =>
      notify(method, Object.keys(extra).length > 0 ? extra : undefined),
    ),
  );
}

/** For a connection that could not hear for a while: whatever it keeps may be out of date. */
export function remind(
  { server, settings }: ListeningConnection,
  notify: (method: string, params?: Params) => void,
): void {
  for (const list of announcedLists(server)) notify(`notifications/${list}/list_changed`);
  for (const uri of settings.watched) notify('notifications/resources/updated', { uri });
}

function announcedLists({ listChangedOn }: Exchange['server']): readonly ListKind[] {
  return LISTS.filter((list) => listChangedOn?.[list]);
}

function tell(
  change: ServerChange,
  { server, who, lists, uris }: Filter,
  notify: (method: string, params: Params) => void,
): void {
  if (change.server !== server) return;
  if ('list' in change) {
    if (lists.has(change.list)) notify(`notifications/${change.list}/list_changed`, {});
  } else if (uris.has(change.uri) && change.origins.some((origin) => canSee(who, origin))) {
    notify('notifications/resources/updated', { uri: change.uri });
  }
}

async function honoured(wanted: unknown, { server, who }: Exchange, maxWatched: number): Promise<Filter> {
  if (!isObject(wanted)) throw invalidParams('notifications must be an object', { status: 400 });
  const lists = new Set(announcedLists(server).filter((list) => wanted[`${list}ListChanged`] === true));
  const uris = new Set<string>();
  const asked = wanted['resourceSubscriptions'] ?? [];
  if (!Array.isArray(asked) || !asked.every((uri) => typeof uri === 'string'))
    throw invalidParams('resourceSubscriptions must be a list of URIs', { status: 400 });
  if (asked.length > maxWatched)
    throw invalidParams(`only ${maxWatched} resources can be watched at once`, { status: 400 });
  for (const uri of asked) if (await server.resources?.mayWatch?.(uri, who)) uris.add(uri);
  return { server: server.key, who, lists, uris };
}

function asNotifications({ lists, uris }: Filter): Params {
  const flags = Object.fromEntries([...lists].map((list) => [`${list}ListChanged`, true]));
  return uris.size > 0 ? { ...flags, resourceSubscriptions: [...uris] } : flags;
}

/** Only tasks that are this caller's are named in the acknowledgement; the rest does not exist for it. */
async function watchedTasks(
  wanted: unknown,
  exchange: Exchange,
  { tasks, maxWatched }: Pick<ListenParts, 'tasks' | 'maxWatched'>,
): Promise<readonly FoundTask[]> {
  const asked = (isObject(wanted) ? wanted['taskIds'] : undefined) ?? [];
  if (!canHaveTasks(exchange)) return [];
  if (!Array.isArray(asked) || !asked.every((id) => typeof id === 'string'))
    throw invalidParams('taskIds must be a list of task ids', { status: 400 });
  if (asked.length > maxWatched)
    throw invalidParams(`only ${maxWatched} tasks can be watched at once`, { status: 400 });
  const found = await Promise.all([...new Set(asked)].map((id) => tasks.look(id, exchange)));
  return found.filter((each) => each !== undefined);
}

/** How it stands, at once and after every change, until it is over: nothing can happen between asking and listening. */
async function tellOfTask(
  { task, source }: FoundTask,
  exchange: Exchange,
  { notify, ended }: Readonly<{ notify(method: string, params: Params): void; ended: AbortSignal }>,
): Promise<void> {
  let now: KeptTask | undefined = task;
  try {
    while (now && !ended.aborted) {
      notify('notifications/tasks', JSON.parse(`{${detailsOf(now)}}`) as Params);
      if (isTaskOver(now)) return;
      now = await source.changed(now, exchange, ended);
    }
  } catch {
    // Whoever still listens asks with `tasks/get`; the notices are a courtesy.
  }
}
