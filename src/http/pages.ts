import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseJsonBody } from './parse.ts';
import type { Page } from './route.ts';

const BODY_LIMIT = 64 * 1024;
const FORM = 'application/x-www-form-urlencoded';

/** What came, for as long as its request is there. */
const raw = new WeakMap<FastifyRequest, Buffer>();

/** Forms and pages. A form is read as one here and nowhere else: no JSON endpoint can be called by a web page's form. */
export function registerPages(app: FastifyInstance, pages: readonly Page[]): void {
  app.register(async (scope) => {
    scope.addContentTypeParser(
      FORM,
      { parseAs: 'string', bodyLimit: BODY_LIMIT },
      async (_request: FastifyRequest, text: string) => new URLSearchParams(text),
    );
    scope.removeContentTypeParser('application/json');
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer', bodyLimit: BODY_LIMIT },
      async (request: FastifyRequest, bytes: Buffer) => {
        raw.set(request, bytes);
        return parseJsonBody(bytes);
      },
    );
    for (const page of pages) {
      scope.route({
        method: page.method,
        url: page.path,
        exposeHeadRoute: false,
        config: { fromAnywhere: page.fromAnywhere === true },
        handler: (request, reply) => answer(page, request, reply),
      });
    }
  });
}

async function answer(page: Page, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { headers, url: target, body } = request;
  const at = target.indexOf('?');
  const isForm = body instanceof URLSearchParams;
  const {
    status,
    headers: own,
    body: text,
  } = await page.handle({
    origin: originOf(headers),
    target,
    params: request.params as Record<string, string>,
    query: new URLSearchParams(at < 0 ? '' : target.slice(at + 1)),
    form: isForm ? body : new URLSearchParams(),
    json: isForm ? undefined : body,
    raw: raw.get(request),
    headers,
    socket: request.socket,
  });
  return reply.code(status).headers(own).send(text);
}

/** Behind a proxy that ends TLS the client's scheme is the proxy's to say; it decides nothing but what our own links look like. */
function originOf(headers: FastifyRequest['headers']): string {
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  return `${scheme}://${headers.host ?? 'localhost'}`;
}

export function isFromAnywhere(request: FastifyRequest): boolean {
  const { config, method } = request.routeOptions as {
    config?: { fromAnywhere?: boolean };
    method?: unknown;
  };
  return config?.fromAnywhere === true && method === 'GET';
}
