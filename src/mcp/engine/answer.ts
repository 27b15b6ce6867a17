import { META } from '../protocol/envelope.ts';
import type { Server } from '../registry.ts';
import type { Answer } from '../result.ts';
import type { CacheHint } from '../server.ts';
import type { Exchange } from './exchange.ts';

const DEFAULT_CACHE: CacheHint = { ttlMs: 60_000, scope: 'private' };

/** Completes an answer to the result object its era wants. */
export function assemble(answer: Answer, exchange: Exchange): string {
  const { members, meta } = answer;
  if (exchange.era === 'legacy') {
    const parts = [members, meta ? `"_meta":${JSON.stringify(meta)}` : ''].filter((part) => part !== '');
    return `{${parts.join(',')}}`;
  }
  const own = `${JSON.stringify(META.serverInfo)}:${serverInfo(exchange.server)}`;
  const all = meta && Object.keys(meta).length > 0 ? `${own},${JSON.stringify(meta).slice(1, -1)}` : own;
  return `{"resultType":"${answer.type ?? 'complete'}"${members === '' ? '' : `,${members}`},"_meta":{${all}}}`;
}

/** Members that tell a 2026-07-28 client how long the answer holds. */
export function cacheMembers(
  exchange: Exchange,
  hint: CacheHint = exchange.server.cache ?? DEFAULT_CACHE,
): string {
  return exchange.era === 'modern' ? `,"ttlMs":${hint.ttlMs},"cacheScope":"${hint.scope}"` : '';
}

const infos = new WeakMap<Server, string>();

export function serverInfo(server: Server): string {
  let info = infos.get(server);
  if (info === undefined) {
    info = JSON.stringify({
      name: server.name,
      version: server.version,
      ...(server.title !== undefined && { title: server.title }),
    });
    infos.set(server, info);
  }
  return info;
}
