import type { ToolContext } from '../define.ts';
import { invalidParams, type Params, RPC, RpcError } from '../protocol/jsonrpc.ts';
import type { Answer } from '../result.ts';
import type { ResourceSource } from '../server.ts';
import { cacheMembers } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { cursorMember, pageOf } from './page.ts';

export async function listResources(params: Params, exchange: Exchange): Promise<Answer> {
  const source = sourceOf(exchange);
  const all = (await source.list(exchange.who)).toSorted((a, b) => (a.uri < b.uri ? -1 : 1));
  const { items, next } = pageOf(all, (resource) => resource.uri, params);
  return { members: `"resources":${JSON.stringify(items)}${cursorMember(next)}${cacheMembers(exchange)}` };
}

export async function listTemplates(params: Params, exchange: Exchange): Promise<Answer> {
  const source = sourceOf(exchange);
  const all = ((await source.templates?.(exchange.who)) ?? []).toSorted((a, b) =>
    a.uriTemplate < b.uriTemplate ? -1 : 1,
  );
  const { items, next } = pageOf(all, (template) => template.uriTemplate, params);
  return {
    members: `"resourceTemplates":${JSON.stringify(items)}${cursorMember(next)}${cacheMembers(exchange)}`,
  };
}

export async function readResource(
  params: Params,
  exchange: Exchange,
  context: ToolContext,
): Promise<Answer> {
  const source = sourceOf(exchange);
  const uri = uriOf(params);
  const contents = await source.read(uri, context);
  if (!contents) throw notFound(uri, exchange);
  return {
    members: `"contents":${JSON.stringify(contents)}${cacheMembers(exchange, source.cache ?? { ttlMs: 0, scope: 'private' })}`,
  };
}

/** Only what the caller may see can be watched; an unknown URI and a forbidden one look the same. */
export async function watchResource(params: Params, exchange: Exchange, maxWatched: number): Promise<Answer> {
  const uri = uriOf(params);
  const { watched } = exchange.settings;
  if (!(await sourceOf(exchange).mayWatch?.(uri, exchange.who))) throw notFound(uri, exchange);
  if (watched.size >= maxWatched && !watched.has(uri))
    throw new RpcError(RPC.internal, `Only ${maxWatched} resources can be watched at once`);
  watched.add(uri);
  return { members: '' };
}

export function unwatchResource(params: Params, exchange: Exchange): Answer {
  exchange.settings.watched.delete(uriOf(params));
  return { members: '' };
}

function notFound(uri: string, { era }: Exchange): RpcError {
  const code = era === 'legacy' ? RPC.resourceNotFound : RPC.invalidParams;
  return new RpcError(code, `Resource not found: ${uri}`, { data: { uri } });
}

function sourceOf({ server }: Exchange): ResourceSource {
  return server.resources!;
}

function uriOf(params: Params): string {
  const { uri } = params;
  if (typeof uri === 'string' && uri !== '') return uri;
  throw invalidParams('uri must be a non-empty string', { status: 400 });
}
