import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HubError } from '../kernel/errors.ts';
import type { HttpCall } from '../mcp/hosts/http/call.ts';
import { parseJsonBody } from './parse.ts';
import { type Authenticate, presentedBy } from './register.ts';

/** An MCP server on a path. The host of `mcp/` speaks the protocol; here its requests pass the same guards as all others. */
export type Mount = Readonly<{ path: string; handle(call: HttpCall): Promise<void> }>;

export const MOUNT_METHODS = ['GET', 'POST', 'DELETE'] as const;

/** Read by all who ask without any, changed by nobody. */
const NO_PARAMS = new URLSearchParams();

export function registerMounts(
  app: FastifyInstance,
  mounts: readonly Mount[],
  authenticate: Authenticate,
): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (_request: FastifyRequest, bytes: Buffer) => readBody(bytes),
    );
    for (const { path, handle } of mounts) {
      scope.route({
        method: [...MOUNT_METHODS],
        url: path,
        exposeHeadRoute: false,
        handler: async (request: FastifyRequest, reply: FastifyReply) => {
          const who = await authenticate(presentedBy(request, path));
          const query = request.url.indexOf('?');
          const params = query < 0 ? NO_PARAMS : new URLSearchParams(request.url.slice(query + 1));
          reply.hijack();
          endWith(who.holds?.ended, reply);
          await handle({
            req: request.raw,
            res: reply.raw,
            body: request.body as HttpCall['body'],
            params,
            who,
          });
        },
      });
    }
  });
}

/** A credential that ends takes along what is under way under it. */
function endWith(ended: AbortSignal | undefined, { raw }: FastifyReply): void {
  if (!ended) return;
  const cut = () => void raw.destroy();
  ended.addEventListener('abort', cut, { once: true });
  raw.once('close', () => ended.removeEventListener('abort', cut));
}

/** What is wrong with a body is for the protocol to say, in its own words and with its own code. */
function readBody(bytes: Buffer): HttpCall['body'] {
  if (bytes.length === 0) return undefined;
  try {
    return { value: parseJsonBody(bytes) };
  } catch (error) {
    if (error instanceof HubError) return { problem: error.message };
    throw error;
  }
}
