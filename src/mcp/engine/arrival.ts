import { isObject } from '../../kernel/loose-json.ts';
import { META, metaOf } from '../protocol/envelope.ts';
import type { RequestMessage } from '../protocol/jsonrpc.ts';
import type { Exchange } from './exchange.ts';

/** A client introduced itself to a server. */
export type Arrival = Readonly<{ server: string; client: string; team?: string }>;

const INTRODUCTIONS: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'tools/list']);

/** Undefined for requests that are no introduction: a legacy client gives its name once, a modern one with every request. */
export function arrivalOf(
  { method, params }: RequestMessage,
  { server, who }: Exchange,
): Arrival | undefined {
  if (!INTRODUCTIONS.has(method)) return undefined;
  const info = method === 'initialize' ? params['clientInfo'] : metaOf(params)?.[META.clientInfo];
  if (!isObject(info) || typeof info['name'] !== 'string') return undefined;
  return {
    server: server.key,
    client: info['name'],
    ...(who.bound.team !== undefined && { team: who.bound.team }),
  };
}
