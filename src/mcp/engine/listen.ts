import type { Change, Changes } from '../changes.ts';
import { META } from '../protocol/envelope.ts';
import { RPC, RpcError, isObject } from '../protocol/jsonrpc.ts';
import type { Id, Params } from '../protocol/jsonrpc.ts';
import type { Answer } from '../result.ts';
import type { ListKind } from '../server.ts';
import type { Exchange, Settings } from './exchange.ts';

const LISTS: readonly ListKind[] = ['tools', 'prompts', 'resources'];

/** What one listener gets to hear, cut down to what the server announces and the caller may see. */
type Filter = { lists: ReadonlySet<ListKind>; uris: ReadonlySet<string> };

/**
 * `subscriptions/listen`: one long request. The acknowledgement comes first and everything after it
 * carries the request's id; it ends with a result when the hub stops, and silently when the client leaves.
 */
export async function listen(
  params: Params,
  id: Id,
  exchange: Exchange,
  changes: Changes,
  stopping: AbortSignal,
  maxWatched: number,
): Promise<Answer> {
  const filter = await honoured(params['notifications'], exchange, maxWatched);
  const meta = { [META.subscription]: id };
  const notify = (method: string, extra: Params) => exchange.peer.notify(method, { ...extra, _meta: meta });
  notify('notifications/subscriptions/acknowledged', { notifications: asNotifications(filter) });
  if (filter.lists.size > 0 || filter.uris.size > 0) {
    const stop = changes.subscribe((change) => tell(change, exchange.server.key, filter, notify));
    await firstAbort(exchange.signal, stopping);
    stop();
  }
  return { members: '', meta };
}

/** The same for a legacy connection, which hears of every list and of the resources it watches. */
export function relay(
  server: Exchange['server'],
  settings: Settings,
  changes: Changes,
  notify: (method: string, params?: Params) => void,
): () => void {
  const lists = new Set(LISTS.filter((list) => server.listChangedOn?.[list]));
  return changes.subscribe((change) =>
    tell(change, server.key, { lists, uris: settings.watched }, (method, extra) =>
      notify(method, Object.keys(extra).length > 0 ? extra : undefined),
    ),
  );
}

function tell(change: Change, key: string, filter: Filter, notify: (method: string, params: Params) => void): void {
  if (change.server !== key) return;
  if ('list' in change) {
    if (filter.lists.has(change.list)) notify(`notifications/${change.list}/list_changed`, {});
  } else if (filter.uris.has(change.uri)) notify('notifications/resources/updated', { uri: change.uri });
}

async function honoured(wanted: unknown, { server, who }: Exchange, maxWatched: number): Promise<Filter> {
  if (!isObject(wanted)) throw invalid('notifications must be an object');
  const lists = new Set(LISTS.filter((list) => wanted[`${list}ListChanged`] === true && server.listChangedOn?.[list]));
  const uris = new Set<string>();
  const asked = wanted['resourceSubscriptions'] ?? [];
  if (!Array.isArray(asked) || !asked.every((uri) => typeof uri === 'string'))
    throw invalid('resourceSubscriptions must be a list of URIs');
  if (asked.length > maxWatched) throw invalid(`only ${maxWatched} resources can be watched at once`);
  for (const uri of asked) if (await server.resources?.mayWatch?.(uri, who)) uris.add(uri);
  return { lists, uris };
}

function asNotifications({ lists, uris }: Filter): Params {
  const flags = Object.fromEntries([...lists].map((list) => [`${list}ListChanged`, true]));
  return uris.size > 0 ? { ...flags, resourceSubscriptions: [...uris] } : flags;
}

function firstAbort(...signals: readonly AbortSignal[]): Promise<void> {
  const any = AbortSignal.any([...signals]);
  if (any.aborted) return Promise.resolve();
  return new Promise((resolve) => any.addEventListener('abort', () => resolve(), { once: true }));
}

function invalid(why: string): RpcError {
  return new RpcError(RPC.invalidParams, `Invalid params: ${why}`, { status: 400 });
}
