import { createServer } from 'node:http';
import * as zlib from 'node:zlib';

/**
 * A model API on loopback, just true enough for one turn: asked with a tool at hand it calls the tool, given the tool's result it says
 * a last word. `seen` keeps every request, so that a test can look at what reached the model.
 */
export async function startMock(answer) {
  const seen = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = unpack(Buffer.concat(chunks), request.headers['content-encoding']);
    const body = text === '' ? undefined : parse(text);
    seen.push({ method: request.method, url: request.url, body });
    await answer({ request, response, body });
    if (!response.writableEnded)
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not part of the mock"}');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    seen,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An older Node has no zstd; the clients that use it are then told to send something else by a request that fails. */
const UNPACKERS = { zstd: zlib.zstdDecompressSync, gzip: zlib.gunzipSync, br: zlib.brotliDecompressSync };

function unpack(bytes, encoding) {
  return String(UNPACKERS[encoding]?.(bytes) ?? bytes);
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function sendJson(response, value) {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** `events` are [name, data] pairs; a name may be undefined. */
export function sendEvents(response, events) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const [name, data] of events)
    response.write(`${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`);
  response.end();
}

/** The full name under which a client offers our tool to its model, wherever in the request it stands. */
export function findTool(value, tool) {
  if (Array.isArray(value)) return value.map((item) => findTool(item, tool)).find(Boolean);
  if (typeof value !== 'object' || value === null) return undefined;
  if (typeof value.name === 'string' && value.name.endsWith(tool)) return value.name;
  return Object.values(value)
    .map((item) => findTool(item, tool))
    .find(Boolean);
}

/**
 * What the model does now. A turn is one call and a last word, or `steps`: calls in their order, each with a `thought` before it
 * where it has one; `done` says how many results the client has sent so far.
 */
export function stepOf({ tool, args, lastWord, steps = [{ tool, args }] }, done) {
  return steps[done] ?? { lastWord };
}

/** How often a field with that value stands anywhere in a request. */
export function countOf(value, field, wanted) {
  if (Array.isArray(value)) return value.reduce((sum, item) => sum + countOf(item, field, wanted), 0);
  if (typeof value !== 'object' || value === null) return 0;
  const own = field in value && (wanted === undefined || value[field] === wanted) ? 1 : 0;
  return own + countOf(Object.values(value), field, wanted);
}
