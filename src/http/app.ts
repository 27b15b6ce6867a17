// The web app: time-outs, guards, routes, MCP mounts and errors around one Fastify instance.
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { HubError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { Observer } from '../kernel/observer.ts';
import { inSpan, openSpan, type Span } from '../kernel/span.ts';
import { excerpt } from '../kernel/redact.ts';
import { type AccessLog, requestIds } from './access-log.ts';
import { prepareClosing } from './graceful-close.ts';
import { type RefusedRequest, renderRefusal } from './error-forms.ts';
import { fromFramework, rawAnswer } from './errors.ts';
import {
  guardOrigin,
  guardRepeated,
  guardTarget,
  type HostRules,
  hostRules,
  reachableHost,
} from './guards.ts';
import { listenOn } from './listen.ts';
import { type Mount, MOUNT_METHODS, registerMounts } from './mounts.ts';
import { registerPipes } from './pipes.ts';
import { describeApi } from './openapi.ts';
import { type Dashboard, registerDashboard, sendDocument } from './dashboard.ts';
import { isFromAnywhere, registerPages } from './pages.ts';
import { parseJsonBody } from './parse.ts';
import { type Authenticate, presentedBy, registerRoutes } from './register.ts';
import type { Page, Pipe, Route } from './route.ts';
import { createStreams, type Streams } from './sse.ts';

export type HttpAppOptions = Readonly<{
  routes: readonly Route[];
  mounts?: readonly Mount[];
  pipes?: readonly Pipe[];
  /** What a browser is shown at `/`. */
  dashboard?: Dashboard | undefined;
  pages?: readonly Page[];
  authenticate: Authenticate;
  log: Log;
  streams?: Streams;
  allowHosts?: readonly string[];
  verifyResponses?: boolean;
  timeouts?: Partial<Timeouts>;
  accessLog?: AccessLog;
  observer?: Observer;
}>;

export type Timeouts = Readonly<{
  /** For the headers of a request to arrive. */
  headersMs: number;
  /** For the whole request, body included. */
  requestMs: number;
  /** For the next request on a connection that is kept open. */
  idleMs: number;
  /** Between two looks for requests that take too long; node's own 30 s would make the others rough. */
  lookMs: number;
}>;

const TIMEOUTS: Timeouts = { headersMs: 15_000, requestMs: 30_000, idleMs: 65_000, lookMs: 5000 };

export interface HttpApp {
  /** Binds the first free port of the list. From then on only its own names are accepted as Host. */
  listen(
    at: Readonly<{ host: string; ports: readonly number[] }>,
  ): Promise<Readonly<{ host: string; port: number; address: string }>>;
  /** One request without a socket. */
  inject: FastifyInstance['inject'];
  readonly streams: Streams;
  /** Ends streams with a reason, tells waiting handlers to answer, then lets running requests finish. */
  close(): Promise<void>;
}

const OPENAPI = '/api/openapi.json';
const PATHS_HINT = `Check the path; ${OPENAPI} describes every one.`;
const BODY_LIMIT = 2 * 1024 * 1024;
/** Up to here a body that is too large is read to its end and dropped: who is cut off while sending never reads why. */
const DRAIN_LIMIT = 64 * 1024 * 1024;
/** What a request without a socket calls itself. */
const INJECTED = { host: 'localhost', port: 80 };

export function createHttpApp(options: HttpAppOptions): HttpApp {
  const {
    routes,
    mounts = [],
    pipes = [],
    pages = [],
    dashboard,
    authenticate,
    log,
    allowHosts = [],
    verifyResponses = false,
  } = options;
  const streams = options.streams ?? createStreams({ log });
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const held = new Set<() => void>();
  let hosts: HostRules = hostRules({ ...INJECTED, allowHosts });

  const app = Fastify({
    logger: false,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    genReqId: requestIds(),
    bodyLimit: BODY_LIMIT,
    // Names may be 200 characters long, each of up to twelve when percent-encoded; what is too long is for its route to say.
    // Clients join base URLs in their own ways: `/mcp/` is `/mcp`, guarded like it.
    routerOptions: { maxParamLength: 4096, ignoreTrailingSlash: true },
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.idleMs,
    http: { headersTimeout: timeouts.headersMs, connectionsCheckingInterval: timeouts.lookMs },
    return503OnClosing: false,
    frameworkErrors: (error, _request, reply) =>
      void respond(reply, fromFramework(error), { url: _request.url }),
    clientErrorHandler: (error: NodeJS.ErrnoException, socket) => {
      if (error.code !== 'ECONNRESET' && socket.writable) socket.end(clientError(error.code));
      else socket.destroy();
    },
  });

  const close = prepareClosing(app);
  options.accessLog?.attach(app);
  if (options.observer) observeRequests(app, options.observer);

  app.addHook('onRequest', (request, reply, done) => {
    if (options.accessLog) reply.raw.setHeader('x-request-id', request.id);
    try {
      guardTarget(request.url);
      guardRepeated(request.raw.rawHeaders);
      guardOrigin(request.headers, hosts, isFromAnywhere(request));
      done();
    } catch (error) {
      done(error as Error);
    }
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => parseJsonBody(body),
  );
  app.setErrorHandler((thrown, request, reply) => {
    const error = fromFramework(thrown);
    // Who hung up has cancelled his request: what came of that is no failure of ours.
    if (error.code === 'internal') {
      const say = reply.raw.destroyed ? log.debug : log.error;
      say('a request failed', {
        id: request.id,
        method: request.method,
        path: request.routeOptions.url,
        error: error.cause ?? error,
      });
    }
    if (error.code === 'too_large' && Number(request.headers['content-length']) <= DRAIN_LIMIT)
      reply.removeHeader('connection');
    return respond(reply.header('x-request-id', request.id), error, request);
  });
  app.setNotFoundHandler(
    async (request, reply) =>
      (dashboard && (await sendDocument(reply, dashboard, request))) ??
      respond(reply, unknownRoute(request, places), {
        url: isMissingHub(request.url, mounts) ? '' : request.url,
      }),
  );

  registerRoutes(app, routes, { authenticate, streams, log, held, verifyResponses });
  registerMounts(app, mounts, authenticate);
  registerPipes(app, pipes, authenticate);
  if (dashboard) registerDashboard(app, dashboard);
  registerPages(app, pages);
  let api: string | undefined; // written when first asked for: it would be half of a hub's start
  app.get(OPENAPI, async (request, reply) => {
    await authenticate(presentedBy(request, OPENAPI));
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .send((api ??= JSON.stringify(describeApi(routes))));
  });

  const places: readonly KnownPath[] = [
    ...routes.map(({ path, method }) => ({ path, methods: [method] })),
    ...mounts.map(({ path }) => ({ path, methods: MOUNT_METHODS })),
    ...pipes.map(({ path, method }) => ({ path, methods: [method] })),
    ...pages.map(({ path, method }) => ({ path, methods: [method] })),
    { path: OPENAPI, methods: ['GET'] },
  ];
  refuseBorrowedMethods(app, places);

  return {
    async listen({ host, ports }) {
      const port = await listenOn(app, host, ports);
      hosts = hostRules({ host, port, allowHosts });
      return { host, port, address: `http://${reachableHost(host)}:${port}` };
    },
    inject: app.inject.bind(app),
    streams,
    async close() {
      for (const stop of held) stop();
      streams.closeAll('shutdown');
      await close();
    },
  };
}

/** Routes parse with their own schemas (`register.ts`); what the framework would do so with is not even in the bundle. */
function noSchemas(): never {
  throw new Error('A route of the framework has a schema of its own.');
}

/** What was asked for and how long it took, when it is answered; a stream counts when it ends. */
function observeRequests(app: FastifyInstance, observer: Observer): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  // After the body was read, which happens in a context of the socket's own.
  if (observer.isTracing)
    app.addHook('preValidation', (request, _reply, done) => {
      const span = openSpan(request.headers['traceparent']);
      spans.set(request, span);
      inSpan(span, done);
    });
  app.addHook('onResponse', (request, reply, done) => {
    observer.request({
      id: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.raw.statusCode,
      ms: reply.elapsedTime,
      span: spans.get(request) ?? (observer.isTracing ? openSpan(request.headers['traceparent']) : undefined),
    });
    done();
  });
}

function respond(reply: FastifyReply, error: HubError, asked: RefusedRequest): FastifyReply {
  const { status, headers, body } = renderRefusal(error, asked);
  return reply.code(status).headers(headers).send(body);
}

/** Without a server at /mcp it is a path like any other, and no place to speak JSON-RPC. */
function isMissingHub(url: string, mounts: readonly Mount[]): boolean {
  return url.startsWith('/mcp') && !mounts.some(({ path }) => path === '/mcp');
}

type KnownPath = Readonly<{ path: string; methods: readonly string[] }>;

function unknownRoute({ method, url }: FastifyRequest, places: readonly KnownPath[]): HubError {
  const path = url.split('?', 1)[0]!.replace(/(.)\/$/, '$1');
  const named = places.filter((place) => place.path === path);
  const here = named.length > 0 ? named : places.filter((place) => matches(place.path, path));
  const allow = [...new Set(here.flatMap(({ methods }) => methods))].sort();
  const endpoints = path.startsWith('/api') ? {} : { endpoints: gatewayEndpoints(places) };
  if (allow.length === 0)
    return new HubError('not_found', `There is nothing at ${excerpt(path, 200)}.`, {
      hint: PATHS_HINT,
      ...endpoints,
    });
  return new HubError('method_not_allowed', `${method} is not possible at ${excerpt(path, 200)}.`, {
    allow,
    ...endpoints,
  });
}

/** A path with a name of its own is none of the things beside it: `GET /v1/peers/register` asks for no peer called "register". */
function refuseBorrowedMethods(app: FastifyInstance, places: readonly KnownPath[]): void {
  const isPattern = ({ path }: KnownPath) => path.includes('/:');
  const patterns = places.filter(isPattern).map((place) => ({ ...place, parts: place.path.split('/') }));
  const named = Map.groupBy(
    places.filter((place) => !isPattern(place)),
    ({ path }) => path,
  );
  for (const [path, own] of named) {
    const parts = path.split('/');
    const around = patterns.filter((pattern) => fits(pattern.parts, parts));
    const methods = (all: readonly KnownPath[]) => new Set(all.flatMap((place) => place.methods));
    const borrowed = [...methods(around)].filter((method) => !methods(own).has(method));
    for (const method of borrowed)
      app.route({ method, url: path, handler: (_request, reply) => reply.callNotFound() });
  }
}

/** What a client of the gateway may have meant. */
function gatewayEndpoints(places: readonly KnownPath[]): string[] {
  const listed = places.filter(({ path }) => /^\/(v1|mcp|peers)(\/|$)/.test(path));
  return listed.flatMap(({ path, methods }) => methods.map((each) => `${each} ${documented(path)}`)).sort();
}

/** Placeholders as the documents of the gateway spell them: `{peer_id}`. */
function documented(path: string): string {
  return path.replace(
    /:(\w+)/g,
    (_, name: string) => `{${name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)}}`,
  );
}

function matches(pattern: string, path: string): boolean {
  return fits(pattern.split('/'), path.split('/'));
}

function fits(wanted: readonly string[], given: readonly string[]): boolean {
  return (
    wanted.length === given.length &&
    wanted.every((part, i) => part === given[i] || (part.startsWith(':') && given[i] !== ''))
  );
}

function clientError(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return rawAnswer(431, 'The request headers are too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return rawAnswer(408, 'The request took too long to arrive.');
  return rawAnswer(400, 'This is not an HTTP request.');
}
