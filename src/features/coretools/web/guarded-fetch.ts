// Gets pages of the public web, hop by hop: `kernel/outbound.ts` judges each of them anew.
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { isPublicAddress } from '../../../kernel/addresses.ts';
import { HubError } from '../../../kernel/errors.ts';
import { judgeUrl, type Outbound, OutboundFailure, sendOut } from '../../../kernel/outbound.ts';

export type FetchedPage = Readonly<{
  url: string;
  status: number;
  contentType: string;
  body: Buffer;
  truncated: boolean;
}>;

export type FetchOptions = Readonly<{
  timeoutMs: number;
  signal: AbortSignal;
  /** May a redirect lead there? Asked before anything of it is looked up. */
  mayFollow?: (to: URL) => boolean;
  resolve?: Outbound['resolve'];
  /** Addresses that are open although they are not public; none unless a test serves from loopback. */
  isOpen?: (address: string) => boolean;
}>;

const MOST_REDIRECTS = 10;
const MOST_BYTES = 10 * 1024 * 1024;

export async function fetchPage(address: string, options: FetchOptions): Promise<FetchedPage> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
  let url = parseAddress(address);
  for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
    const response = await send(url, options, signal);
    const { location } = response.headers;
    if (response.statusCode! >= 300 && response.statusCode! < 400 && location !== undefined) {
      response.destroy();
      url = parseAddress(location, url);
      if (options.mayFollow?.(url) === false) throw leadsElsewhere(url);
      continue;
    }
    const { body, truncated } = await readBody(response, signal);
    return {
      url: url.href,
      status: response.statusCode!,
      contentType: response.headers['content-type'] ?? '',
      body,
      truncated,
    };
  }
  throw new HubError('unavailable', `The address redirects more than ${MOST_REDIRECTS} times.`);
}

function parseAddress(address: string, base?: URL): URL {
  try {
    return new URL(address, base);
  } catch (error) {
    throw new HubError('invalid', 'url is not an address.').because(error);
  }
}

/** What can be told of an address without asking a name server: that would reach outside already. */
export function refuseClosed(address: string, isOpen: FetchOptions['isOpen']): void {
  try {
    judgeUrl(parseAddress(address), openTo(isOpen));
  } catch (error) {
    throw inOwnWords(error);
  }
}

function openTo(isOpen: FetchOptions['isOpen'] = () => false): (address: string) => boolean {
  return (address) => isPublicAddress(address) || isOpen(address);
}

const HEADERS = {
  'user-agent': 'Holdfast/0.1 (+local hub)',
  accept: 'text/html, text/*;q=0.9, application/json;q=0.8, */*;q=0.1',
  'accept-encoding': 'gzip, deflate, br',
};

async function send(url: URL, options: FetchOptions, signal: AbortSignal): Promise<IncomingMessage> {
  const { resolve, isOpen } = options;
  const outbound = { signal, headers: HEADERS, isOpen: openTo(isOpen), ...(resolve && { resolve }) };
  return sendOut(url, outbound).catch((error: unknown) => {
    throw inOwnWords(error);
  });
}

/** Counted after unpacking: a small answer can hold a very large one. */
async function readBody(
  response: IncomingMessage,
  signal: AbortSignal,
): Promise<{ body: Buffer; truncated: boolean }> {
  const encoding = response.headers['content-encoding'];
  const unpack =
    encoding === 'gzip'
      ? createGunzip()
      : encoding === 'br'
        ? createBrotliDecompress()
        : encoding === 'deflate'
          ? createInflate()
          : undefined;
  // A pipeline, not a pipe: when the answer breaks off, whoever unpacks it has to hear of it.
  const stream = unpack ? pipeline(response, unpack, () => undefined) : response;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const room = MOST_BYTES - size;
      chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
      size += chunk.length;
      if (size > MOST_BYTES) return { body: Buffer.concat(chunks), truncated: true };
    }
  } catch (error) {
    throw signal.aborted
      ? tooSlow(error)
      : new HubError('unavailable', 'The answer broke off.').because(error);
  } finally {
    response.destroy();
  }
  return { body: Buffer.concat(chunks), truncated: false };
}

function inOwnWords(error: unknown): unknown {
  if (!(error instanceof OutboundFailure)) return error;
  if (error.why === 'slow') return tooSlow(error);
  if (error.why === 'nameless' || error.why === 'unreachable')
    return new HubError('unavailable', `${error.message}.`).because(error);
  return closed(error.message.replace('not asked', 'not fetched'));
}

function tooSlow(cause: unknown): HubError {
  return new HubError('unavailable', 'The address did not answer in time.').because(cause);
}

function leadsElsewhere(to: URL): HubError {
  return new HubError('forbidden', `Not fetched: it redirects to ${to.host}, which nobody has allowed.`, {
    denied: 'web:redirect',
    hint: `If it is wanted, fetch that address itself: ${to.href.slice(0, 1_000)}`,
  });
}

/** The same name, with or without `www.` and TLS; never away from TLS. */
export function isSameSite(from: URL, to: URL): boolean {
  const nameOf = ({ hostname }: URL) => hostname.replace(/^www\./, '');
  const isSafer = from.protocol === 'http:' && to.protocol === 'https:' && from.port === '' && to.port === '';
  return nameOf(from) === nameOf(to) && ((from.protocol === to.protocol && from.port === to.port) || isSafer);
}

function closed(why: string): HubError {
  return new HubError('forbidden', `Not fetched: ${why}.`, {
    denied: 'web:closed',
    hint: 'Only addresses of the public web are fetched.',
  });
}
