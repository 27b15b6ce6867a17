import type { IncomingMessage } from 'node:http';
import { HubError } from '../../../kernel/errors.ts';
import { isAnyAddress, OutboundFailure, sendOut } from '../../../kernel/outbound.ts';

/**
 * Fetches the metadata document of a client. Whoever sends somebody to /authorize chooses this address, so it is not
 * trusted: no redirects, no private addresses, little time, little text.
 */
const PATIENCE_MS = 5_000;
const MAX_BYTES = 64 * 1024;

export async function fetchDocument(url: URL, isLoopback: boolean): Promise<unknown> {
  const isOwn = isLoopback && url.protocol === 'http:' && url.hostname === '127.0.0.1';
  const response = await sendOut(url, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(PATIENCE_MS),
    ...(isOwn && { isOpen: isAnyAddress }),
  }).catch((error: unknown) => {
    const isClosed = error instanceof OutboundFailure && error.why === 'closed';
    throw unusable(isClosed ? 'is at a private address' : 'cannot be fetched');
  });
  const type = response.headers['content-type'] ?? '';
  if (response.statusCode !== 200 || !/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) {
    response.destroy();
    throw unusable('did not answer with JSON');
  }
  const text = await readText(response);
  try {
    return JSON.parse(text);
  } catch {
    throw unusable('is not JSON');
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BYTES) throw unusable('is too large');
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof HubError ? error : unusable('broke off');
  } finally {
    response.destroy();
  }
  return Buffer.concat(chunks).toString('utf8');
}

function unusable(why: string): HubError {
  return new HubError('invalid', `The document of this client ${why}.`);
}
