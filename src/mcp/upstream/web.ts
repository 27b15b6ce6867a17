// The `fetch` of an MCP server behind a URL. Answers are bounded, and a stream that ends early is noticed.
import { isObject } from '../../kernel/loose-json.ts';
import {
  HEADER_MCP_METHOD,
  HEADER_MCP_NAME,
  encodeHeaderValue,
  legacyTargetOf,
} from '../protocol/headers.ts';
import type { Fetch } from '../../kernel/outbound-fetch.ts';

/** An answer that is longer is given up while it arrives. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * The `fetch` of an HTTP source. Requests name their method in headers, in both eras; answers are bounded; and a stream that
 * ends before its answer says so at once, instead of leaving the call to its time limit.
 */
export function createWebFetch(base: Fetch = fetch): Fetch {
  return async (url, init = {}) => {
    const request = init.method === 'POST' ? readRequest(init.body) : undefined;
    const response = await base(url, request ? { ...init, headers: named(init.headers, request) } : init);
    if (!response.ok || response.body === null) return response;
    const type = (response.headers.get('content-type') ?? '').toLowerCase();
    if (type.startsWith('text/html')) {
      await response.body.cancel();
      throw new TypeError('it answered a web page instead of a message');
    }
    if (type.startsWith('text/event-stream'))
      return request ? rebuilt(response, untilAnswered(response.body, request.id)) : response;
    const length = Number(response.headers.get('content-length') ?? Number.NaN);
    return length <= MOST_BYTES ? response : rebuilt(response, bounded(response.body));
  };
}

type Sent = Readonly<{ method: string; target: string | undefined; id: string | number | undefined }>;

function readRequest(body: unknown): Sent | undefined {
  if (typeof body !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(body);
    if (!isObject(value) || typeof value['method'] !== 'string') return undefined;
    const { method, params, id } = value;
    const target = isObject(params) ? legacyTargetOf(method, params) : undefined;
    return { method, target, id: typeof id === 'string' || typeof id === 'number' ? id : undefined };
  } catch {
    return undefined;
  }
}

/** The SDK does it for 2026-07-28 only. */
function named(given: RequestInit['headers'], { method, target }: Sent): Headers {
  const headers = new Headers(given);
  if (headers.has(HEADER_MCP_METHOD)) return headers;
  headers.set(HEADER_MCP_METHOD, encodeHeaderValue(method));
  if (target !== undefined) headers.set(HEADER_MCP_NAME, encodeHeaderValue(target));
  return headers;
}

function rebuilt({ status, statusText, headers }: Response, body: ReadableStream<Uint8Array>): Response {
  return new Response(body, { status, statusText, headers });
}

function bounded(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let bytes = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        if (bytes > MOST_BYTES) controller.error(tooLong());
        else controller.enqueue(chunk);
      },
    }),
  );
}

/** A stream that its server may resume (its events have ids) ends in order; every other end is an answer that will not come. */
function untilAnswered(body: ReadableStream<Uint8Array>, id: Sent['id']): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const encoder = new TextEncoder();
  let bytes = 0;
  let canResume = false;
  const give = (controller: ReadableStreamDefaultController<Uint8Array>, why: string) => {
    const error = { jsonrpc: '2.0', id, error: { code: -32_000, message: why } };
    if (id !== undefined) controller.enqueue(encoder.encode(`\n\ndata: ${JSON.stringify(error)}\n\n`));
    controller.close();
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return canResume ? controller.close() : give(controller, STREAM_ENDED);
        bytes += value.length;
        if (bytes <= MOST_BYTES) {
          canResume ||= hasEventId(value);
          return controller.enqueue(value);
        }
        await reader.cancel().catch(() => undefined);
        give(controller, tooLong().message);
      } catch {
        give(controller, STREAM_ENDED);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

export const STREAM_ENDED = 'the stream ended before the answer';

function hasEventId(chunk: Uint8Array): boolean {
  return /(?:^|\n)id:/.test(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1'));
}

function tooLong(): Error {
  return new Error(`the answer has more than ${MOST_BYTES} bytes`);
}
