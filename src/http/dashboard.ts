import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { VERSION } from '../kernel/version.ts';

/**
 * The page, behind `/`: files built from `web/`, read once and served from memory. It is public: whoever may load it has learned nothing,
 * and everything it shows it asks for over the same REST as everybody, under the same guards.
 */
export interface Dashboard {
  /** The document, for a browser that asks for one of the page's own paths; nothing for everybody else. */
  documentFor(request: FastifyRequest): Buffer | undefined;
  file(path: string): Buffer | undefined;
}

/** The first parts of the paths the page has views for. An address the page does not know keeps its JSON refusal. */
const VIEWS = new Set(
  'board runs landing schedules approvals grants policy audit sessions review pulse rooms mail memory brain beings sources agents projects settings'.split(
    ' ',
  ),
);

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};

/** Its own files and its own hub, nothing else; no inline script or style, no frame around it, and no markup from text. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types holdfast',
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

/** Undefined where no page was built: then `/` is a path like any other. */
export function openDashboard(folder: string | undefined = builtPage()): Dashboard | undefined {
  if (folder === undefined) return undefined;
  const files = new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && extname(entry.name) in TYPES)
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length).replaceAll('\\', '/'), readFileSync(path)] as const),
  );
  const document = files.get('/index.html');
  if (!document) return undefined;
  return {
    documentFor: ({ method, url, headers }) =>
      (method === 'GET' || method === 'HEAD') && isView(url) && asksForHtml(headers.accept)
        ? document
        : undefined,
    file: (path) => (path === '/index.html' ? undefined : files.get(path)),
  };
}

export function registerDashboard(app: FastifyInstance, page: Dashboard): void {
  app.get(
    '/',
    (request, reply) =>
      sendDocument(reply, page.documentFor(request)) ?? greet(request, reply) ?? reply.callNotFound(),
  );
  app.get('/assets/*', (request, reply) => sendFile(reply, page, request.url) ?? reply.callNotFound());
  for (const path of ['/theme.js', '/mark.svg', '/holdfast.webmanifest'])
    app.get(path, (request, reply) => sendFile(reply, page, request.url) ?? reply.callNotFound());
}

const GREETING = `Holdfast ${VERSION}: one hub for the coding agents of this machine.

  the page     open this address in a browser, or run \`holdfast open\`
  attach       \`holdfast setup\`, or MCP at /mcp
  REST         /api/openapi.json
  how it does  /api/health, \`holdfast status\`
`;

/** For a person who looks with curl. Who wants JSON is told what a path without anything is told. */
function greet({ headers }: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  if (/json/i.test(headers.accept ?? '')) return undefined;
  return reply.headers({ 'content-type': 'text/plain; charset=utf-8', vary: 'accept' }).send(GREETING);
}

/** For the handler of unknown paths: nothing when this is none of the page's. */
export function sendDocument(reply: FastifyReply, document: Buffer | undefined): FastifyReply | undefined {
  if (!document) return undefined;
  return reply
    .code(200)
    .headers(HEADERS)
    .headers({ 'content-type': TYPES['.html'], 'cache-control': 'no-cache', vary: 'accept' })
    .send(document);
}

function sendFile(reply: FastifyReply, page: Dashboard, url: string): FastifyReply | undefined {
  const path = url.split('?', 1)[0]!;
  const file = page.file(path);
  if (!file) return undefined;
  // What stands under assets/ has the hash of its contents in its name.
  const caching = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
  return reply
    .headers(HEADERS)
    .headers({ 'content-type': TYPES[extname(path)], 'cache-control': caching })
    .send(file);
}

function isView(url: string): boolean {
  const [first = ''] = url.slice(1).split(/[/?]/, 1);
  return first === '' ? /^\/(\?|$)/.test(url) : VIEWS.has(first);
}

/** Only who names HTML: a star is every script and every client, and those keep their JSON. */
function asksForHtml(accept: string | undefined): boolean {
  return accept !== undefined && /(^|,)\s*text\/html\s*(;(?!\s*q=0(\.0*)?\s*(,|$))|,|$)/i.test(accept);
}

/** Beside the bundle that runs, or in dist/ when the sources do. */
function builtPage(): string | undefined {
  for (let folder = import.meta.dirname; dirname(folder) !== folder; folder = dirname(folder)) {
    const places = [
      join(folder, 'dist', 'web'),
      ...(existsSync(join(folder, 'web', 'assets')) ? [join(folder, 'web')] : []),
    ];
    const found = places.find((place) => existsSync(join(place, 'index.html')));
    if (found !== undefined) return found;
  }
  return undefined;
}
