import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { VERSION } from '../kernel/version.ts';

/**
 * The page, behind `/`: files built from `web/`, each read when it is first asked for, and kept from then on. It is public: whoever may load it has learned nothing,
 * and everything it shows it asks for over the same REST as everybody, under the same guards.
 */
export interface Dashboard {
  /** The document, for a browser that asks for one of the page's own paths; nothing for everybody else. */
  documentFor(request: FastifyRequest): Buffer | undefined;
  file(path: string): Buffer | undefined;
  /** What the view at an address is made of, as a `Link` of its document: the document itself names no view. */
  ahead(url: string): string | undefined;
  /** The same, as small as this browser takes it. */
  packed(file: Buffer, accepted: string | undefined): Promise<Packed>;
}

type Packed = Readonly<{ body: Buffer; encoding?: 'br' | 'gzip' }>;

/** The first parts of the paths the page has views for. An address the page does not know keeps its JSON refusal, but for a person in a browser. */
const VIEWS = new Set(
  'board due runs landing schedules budget approvals grants policy audit sessions why review pulse runners rooms mail memory brain beings sources agents projects settings'.split(
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

/** What saves the last 7 % takes fifty times as long, and the first who looks would wait for it. */
const QUALITY = 5;
const [pack, zip] = [promisify(brotliCompress), promisify(gzip)];

const PACKERS = {
  br: (file: Buffer) => pack(file, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }),
  gzip: (file: Buffer) => zip(file),
} as const;
const SMALL = 1_000;

/** Each file is packed when it is first asked for so, off the thread of the hub, and kept. */
function createPacking(): Dashboard['packed'] {
  const kept = new Map<Buffer, Map<string, Promise<Buffer>>>();
  return async (file, accepted = '') => {
    const encoding = (['br', 'gzip'] as const).find((each) =>
      new RegExp(`(^|[,\\s])${each}\\s*(,|$|;\\s*q=(?!0(\\.0*)?\\s*(,|$)))`, 'i').test(accepted),
    );
    if (encoding === undefined || file.length < SMALL) return { body: file };
    const known = kept.get(file) ?? new Map<string, Promise<Buffer>>();
    kept.set(file, known);
    const packing = known.get(encoding) ?? PACKERS[encoding](file);
    known.set(encoding, packing);
    return { body: await packing, encoding };
  };
}

/** As the build writes it: what each part of the page is made of. */
type Chunk = Readonly<{ file: string; imports?: readonly string[]; isEntry?: boolean }>;

/** A view is fetched beside the script that shows it, and not after that has run. Of one build with the document. */
function createAhead(folder: string): Dashboard['ahead'] {
  const path = join(folder, 'files.json');
  if (!existsSync(path)) return () => undefined;
  const chunks = JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, Chunk>>;
  const reach = (name: string, seen: Set<string>): Set<string> => {
    if (seen.has(name) || chunks[name] === undefined) return seen;
    seen.add(name);
    for (const next of chunks[name].imports ?? []) reach(next, seen);
    return seen;
  };
  const entry = Object.keys(chunks).find((name) => chunks[name]!.isEntry) ?? '';
  // In this order: what everything waits for comes first, since a browser fetches few at a time.
  const linkOf = (view: string): string =>
    [
      '</theme.js>; rel=preload; as=script',
      ...[...reach(`src/${view || 'now'}/page.tsx`, reach(entry, new Set()))].map(
        (name) => `</${chunks[name]!.file}>; rel=modulepreload`,
      ),
    ].join(', ');
  const links = new Map(['', ...VIEWS].map((view) => [view, linkOf(view)]));
  return (url) => links.get(firstOf(url));
}

/** Undefined where no page was built: then `/` is a path like any other. */
export function openDashboard(folder: string | undefined = builtPage()): Dashboard | undefined {
  if (folder === undefined) return undefined;
  const files = new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && extname(entry.name) in TYPES)
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length).replaceAll('\\', '/'), path] as const),
  );
  const known = new Map<string, Buffer>();
  const read = (name: string): Buffer | undefined => {
    const path = files.get(name);
    // A later build takes its files away, after a while.
    if (path === undefined || (!known.has(name) && !existsSync(path))) return undefined;
    const file = known.get(name) ?? readFileSync(path);
    known.set(name, file);
    return file;
  };
  // Of one build with what runs, whatever is built meanwhile.
  const document = read('/index.html');
  if (!document) return undefined;
  return {
    documentFor: ({ method, url, headers }) =>
      (method === 'GET' || method === 'HEAD') &&
      (isView(url) || isLost(url, headers)) &&
      asksForHtml(headers.accept)
        ? document
        : undefined,
    packed: createPacking(),
    ahead: createAhead(folder),
    file: (path) => (path === '/index.html' ? undefined : read(path)),
  };
}

export function registerDashboard(app: FastifyInstance, page: Dashboard): void {
  app.get('/', async (request, reply) =>
    page.documentFor(request)
      ? sendDocument(reply, page, request)
      : (greet(request, reply) ?? reply.callNotFound()),
  );
  for (const path of ['/assets/*', '/theme.js', '/mark.svg', '/holdfast.webmanifest'])
    app.get(path, async (request, reply) => (await sendFile(reply, page, request)) ?? reply.callNotFound());
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
export async function sendDocument(
  reply: FastifyReply,
  page: Dashboard,
  request: FastifyRequest,
): Promise<FastifyReply | undefined> {
  const document = page.documentFor(request);
  if (!document) return undefined;
  const { body, encoding } = await page.packed(document, request.headers['accept-encoding']);
  const isKnown = isView(request.url);
  const link = isKnown ? page.ahead(request.url) : undefined;
  return reply
    .code(isKnown ? 200 : 404)
    .headers(HEADERS)
    .headers({
      'content-type': TYPES['.html'],
      'cache-control': 'no-cache',
      vary: 'accept, accept-encoding',
      ...(link && { link }),
      ...(encoding && { 'content-encoding': encoding }),
    })
    .send(body);
}

async function sendFile(
  reply: FastifyReply,
  page: Dashboard,
  { url, headers }: FastifyRequest,
): Promise<FastifyReply | undefined> {
  const path = url.split('?', 1)[0]!;
  const file = page.file(path);
  if (!file) return undefined;
  const { body, encoding } = await page.packed(file, headers['accept-encoding']);
  // What stands under assets/ has the hash of its contents in its name.
  const caching = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
  return reply
    .headers(HEADERS)
    .headers({
      'content-type': TYPES[extname(path)],
      'cache-control': caching,
      vary: 'accept-encoding',
      ...(encoding && { 'content-encoding': encoding }),
    })
    .send(body);
}

/** The first part of a path. */
function firstOf(url: string): string {
  return url.slice(1).split(/[/?]/, 1)[0]!;
}

function isView(url: string): boolean {
  const first = firstOf(url);
  return first === '' ? /^\/(\?|$)/.test(url) : VIEWS.has(first);
}

/** What is no page's: whoever looks at it, with a browser or without, wants what it answers. */
const OTHERS = new Set('api v1 mcp assets oauth signin .well-known'.split(' '));

/** A person who follows a wrong address is shown a page that says so; a program is told in JSON. */
function isLost(url: string, headers: FastifyRequest['headers']): boolean {
  return headers['sec-fetch-dest'] === 'document' && !OTHERS.has(firstOf(url));
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
