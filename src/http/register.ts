import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../kernel/digest.ts';
import { HubError, toHubError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { Presented } from '../kernel/presented.ts';
import { hasScope, type Principal } from '../kernel/principal.ts';
import { withoutEcho } from '../kernel/redact.ts';
import { inputParser } from './parse.ts';
import { COMMAND_HEADER } from '../kernel/command-header.ts';
import type { AnswerRoute, Producer, Route, RouteContext, StreamRoute } from './route.ts';
import type { EventStream, Streams } from './sse.ts';

/** Throws `unauthorized` or `forbidden`; never answers an unknown caller with a guess. */
export type Authenticate = (presented: Presented) => Principal | Promise<Principal>;

export type Registrar = Readonly<{
  authenticate: Authenticate;
  streams: Streams;
  log: Log;
  /**
   * What waits, called when the hub shuts down: it answers "pending, retry". No signal: that walks past everybody who listens to add
   * one more, which a thousand requests that are held would make a tenth of what each costs.
   */
  held: Set<() => void>;
  /** Checks every answer against its declared schema; for tests. */
  verifyResponses: boolean;
}>;

export function registerRoutes(app: FastifyInstance, routes: readonly Route[], registrar: Registrar): void {
  for (const route of routes) {
    const handler = 'open' in route ? streamHandler(route, registrar) : answerHandler(route, registrar);
    app.route({
      method: route.method,
      url: route.path,
      exposeHeadRoute: !('open' in route) && !route.changes,
      handler,
    });
  }
}

function answerHandler(route: AnswerRoute, { authenticate, held, verifyResponses }: Registrar) {
  const parse = inputParser(route);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const who = await admit(route, request, authenticate);
    const input = parse(request) as never;
    const given = await withSignal(reply, { held, ended: who.holds?.ended }, (signal) =>
      route.handler(input, { who, signal, command: commandOf(request) }),
    );
    // What stands in an address is kept nowhere, so nothing has masked it yet.
    const answer = withoutEcho([request.params, request.query], given);
    if (route.contentType !== undefined) reply.header('content-type', route.contentType);
    const checked = verifyResponses ? verify(route, answer) : answer;
    // Nothing, where something was hoped for.
    if (checked === undefined) return reply.code(204).send();
    if (route.cache !== undefined) return sendCached(request, reply, { cache: route.cache, answer: checked });
    return reply.code(route.status ?? 200).send(checked);
  };
}

const COMMAND = /^[\w-]{1,64}$/;

function commandOf({ headers }: FastifyRequest): string | undefined {
  const given = headers[COMMAND_HEADER];
  return typeof given === 'string' && COMMAND.test(given) ? given : undefined;
}

function streamHandler(route: StreamRoute, { authenticate, streams, log, held }: Registrar) {
  const parse = inputParser(route);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const who = await admit(route, request, authenticate);
    const header = (name: string) => {
      const value = request.headers[name];
      return typeof value === 'string' ? value : undefined;
    };
    const input = parse(request) as never;
    const context = { who, header, lastEventId: header('last-event-id') };
    const ended = who.holds?.ended;
    const produce = await withSignal(reply, { held, ended }, (signal) =>
      route.open(input, { ...context, signal }),
    );
    if (typeof produce !== 'function') return reply.code(route.answers?.status ?? 200).send(produce.answer);
    const stream = streams.open(reply.raw, route.wire, who.credential);
    reply.hijack();
    endWith(ended, stream);
    run(produce, stream, { path: route.path, log });
    return undefined;
  };
}

/** What is answered may depend on who asks, so it is kept for nobody else. */
function sendCached(
  request: FastifyRequest,
  reply: FastifyReply,
  { cache, answer }: Readonly<{ cache: string; answer: unknown }>,
): FastifyReply {
  const text = JSON.stringify(answer);
  const etag = `"${sha256(text).slice(0, 32)}"`;
  reply.headers({ etag, 'cache-control': `private, ${cache}`, vary: 'authorization' });
  if (isKept(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.header('content-type', 'application/json; charset=utf-8').send(text);
}

function isKept(header: string | undefined, etag: string): boolean {
  return header?.split(',').some((each) => ['*', etag].includes(each.trim().replace(/^W\//, ''))) ?? false;
}

/** A stream ends with the credential it was opened under, and lets go of it when it ends before. */
function endWith(ended: AbortSignal | undefined, stream: EventStream): void {
  if (!ended) return;
  const end = () => stream.end('the credential no longer holds');
  if (ended.aborted) return end();
  ended.addEventListener('abort', end, { once: true });
  stream.signal.addEventListener('abort', () => ended.removeEventListener('abort', end), { once: true });
}

/** Apart from the handler, so that a stream which lives for days does not keep its request alive with it. */
function run(
  produce: Producer,
  stream: EventStream,
  { path, log }: Readonly<{ path: string; log: Log }>,
): void {
  produce(stream, stream.signal).then(
    () => stream.end('complete'),
    (thrown: unknown) => {
      if (stream.signal.aborted) return;
      const error = toHubError(thrown);
      log.error('an event stream failed', { path, error: error.cause ?? error });
      stream.send({ event: 'error', data: { error: error.message, code: error.code } });
      stream.end('error');
    },
  );
}

const NOBODY: Principal = { kind: 'local', id: 'anonymous', scopes: new Set(), seat: '', bound: {} };

async function admit(route: Route, request: FastifyRequest, authenticate: Authenticate): Promise<Principal> {
  if (route.isPublic) return orNobody(() => authenticate(presentedBy(request, route.path)));
  const who = await authenticate(presentedBy(request, route.path));
  if (!hasScope(who, route.scope))
    throw new HubError('forbidden', `This caller lacks the scope ${route.scope}.`, { scope: route.scope });
  return who;
}

/** Whoever is not known here, by a wrong or revoked credential or as another user of the machine, is a stranger. */
async function orNobody(identify: () => Principal | Promise<Principal>): Promise<Principal> {
  try {
    return await identify();
  } catch (thrown) {
    if (thrown instanceof HubError) return NOBODY;
    throw thrown;
  }
}

/** A request that was only made up has no connection whose other end could be looked at. */
export function presentedBy({ headers, url, raw }: FastifyRequest, route: string): Presented {
  return { headers, url, route, ...(raw.socket?.remotePort !== undefined && { request: raw }) };
}

type Ends = Readonly<{ held: Registrar['held']; ended: AbortSignal | undefined }>;

async function withSignal<T>(
  reply: FastifyReply,
  { held, ended }: Ends,
  work: (signal: RouteContext['signal']) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const stop = () => abort.abort();
  const onClose = () => {
    if (!reply.raw.writableFinished) stop();
  };
  reply.raw.once('close', onClose);
  held.add(stop);
  // A credential that ends takes what waits under it along, and what it would have been answered.
  const cut = () => {
    stop();
    reply.raw.destroy();
  };
  ended?.addEventListener('abort', cut, { once: true });
  try {
    return await work(abort.signal);
  } finally {
    reply.raw.off('close', onClose);
    held.delete(stop);
    ended?.removeEventListener('abort', cut);
  }
}

function verify(route: AnswerRoute, answer: unknown): unknown {
  const checked = route.response.safeParse(answer);
  if (!checked.success)
    throw new Error(`${route.method} ${route.path} answered outside its schema: ${checked.error.message}`);
  return answer;
}
