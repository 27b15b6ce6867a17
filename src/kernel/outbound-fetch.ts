// `fetch` over `outbound.ts`, for libraries that want one: judged like everything else, connections kept between requests.
import { Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Readable } from 'node:stream';
import { type Outbound, sendOut } from './outbound.ts';

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const KEEPING = { keepAlive: true, timeout: 30_000 } as const;
const NEVER = new AbortController().signal;

/** It follows no redirect, as with `redirect: 'manual'`. */
export function createOutboundFetch(reach: Pick<Outbound, 'isOpen' | 'resolve'> = {}): Fetch {
  const agents = { 'http:': new HttpAgent(KEEPING), 'https:': new HttpsAgent(KEEPING) };
  return async (address, init = {}) => {
    const url = new URL(address);
    const { body, headers } = contentOf(init);
    const agent = url.protocol === 'https:' ? agents['https:'] : agents['http:'];
    const response = await sendOut(url, {
      ...reach,
      method: init.method ?? 'GET',
      headers: Object.fromEntries(headers),
      agent,
      signal: init.signal ?? NEVER,
      ...(body !== undefined && { body }),
    });
    return responseOf(response);
  };
}

function contentOf({ body, headers: given }: RequestInit): { body?: string | Uint8Array; headers: Headers } {
  const headers = new Headers(given);
  if (body === undefined || body === null) return { headers };
  if (body instanceof URLSearchParams) {
    if (!headers.has('content-type'))
      headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8');
    return { body: body.toString(), headers };
  }
  if (typeof body === 'string' || body instanceof Uint8Array) return { body, headers };
  throw new TypeError('only text and bytes are sent');
}

const WITHOUT_BODY = new Set([204, 205, 304]);

function responseOf(message: IncomingMessage): Response {
  const { statusCode: status = 502, statusMessage: statusText = '', rawHeaders } = message;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  if (WITHOUT_BODY.has(status)) {
    message.resume();
    return new Response(null, { status, statusText, headers });
  }
  return new Response(Readable.toWeb(message) as ReadableStream, { status, statusText, headers });
}
