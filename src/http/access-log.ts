import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { newSecret } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import type { Principal } from '../kernel/principal.ts';

/**
 * One line of JSON per request: when, which, who, what came of it, and how long it took. The path is that of the route
 * and not what was asked for, so that neither a query nor a name is in it; bodies and headers never are.
 */
export interface AccessLog {
  /** Who a request was found to be. */
  note(request: IncomingMessage, who: Principal): void;
  attach(app: FastifyInstance): void;
  close(): Promise<void>;
}

export function openAccessLog(path: string, log: Log): AccessLog {
  const out = createWriteStream(path, { flags: 'a', mode: 0o600 });
  out.on('error', (error) => log.warn('the access log cannot be written', { error }));
  const callers = new WeakMap<IncomingMessage, Principal>();
  return {
    note: (request, who) => void callers.set(request, who),
    attach(app) {
      app.addHook('onResponse', (request, reply, done) => {
        const who = callers.get(request.raw);
        const line = {
          at: new Date().toISOString(),
          id: request.id,
          method: request.method,
          route: request.routeOptions.url ?? 'none',
          status: reply.raw.statusCode,
          ms: Math.round(reply.elapsedTime),
          address: request.raw.socket.remoteAddress ?? '',
          caller: who?.kind ?? 'unknown',
          ...(who?.bound.agent !== undefined && { agent: who.bound.agent }),
          ...(who?.credential !== undefined && { credential: who.credential }),
          ...(!reply.raw.writableFinished && { aborted: true }),
        };
        out.write(`${JSON.stringify(line)}\n`);
        done();
      });
    },
    close: () => new Promise((resolve) => out.end(resolve)),
  };
}

/** Ids that tell requests apart, also those of two runs of a hub, and cost next to nothing. */
export function requestIds(): () => string {
  const run = newSecret(4);
  let count = 0;
  return () => `${run}-${(count += 1).toString(36)}`;
}
