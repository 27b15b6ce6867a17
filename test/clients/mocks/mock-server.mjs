import { createServer } from 'node:http';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';

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

const UNPACKERS = { zstd: zstdDecompressSync, gzip: gunzipSync, br: brotliDecompressSync };

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
