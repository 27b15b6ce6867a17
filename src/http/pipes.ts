// Requests whose body is no text of ours: handed on as they come, behind the same guards as all others.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Authenticate, presentedBy } from './register.ts';
import type { Pipe } from './route.ts';

export function registerPipes(
  app: FastifyInstance,
  pipes: readonly Pipe[],
  authenticate: Authenticate,
): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    for (const { method, path, handle } of pipes) {
      scope.route({
        method,
        url: path,
        exposeHeadRoute: false,
        handler: async (request: FastifyRequest, reply: FastifyReply) => {
          const who = await authenticate(presentedBy(request, path));
          const query = new URLSearchParams(request.url.split('?')[1] ?? '');
          const params = request.params as Readonly<Record<string, string>>;
          await handle({ who, params, query, req: request.raw, res: reply.raw });
          reply.hijack();
        },
      });
    }
  });
}
