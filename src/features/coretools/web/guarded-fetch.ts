// Gets pages of the public web. Every hop is judged anew, and the connection goes to the address that was
// judged.
import { lookup as resolveName } from 'node:dns/promises';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { HubError } from '../../../kernel/errors.ts';
import { isPublicAddress } from '../../../kernel/addresses.ts';

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
  /** Replaceable, so that a test can play a name server that changes its mind. */
  resolve?: (name: string) => Promise<readonly string[]>;
  /** Addresses that are open although they are not public; none unless a test serves from loopback. */
  isOpen?: (address: string) => boolean;
}>;

const MOST_REDIRECTS = 10;
const MOST_BYTES = 10 * 1024 * 1024;

/**
 * Gets a page of the public web. Each hop is judged anew: scheme, name and every address the name has. The
 * connection goes to the very address that was judged, so that a second look-up cannot lead elsewhere.
 */
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
  let url: URL;
  try {
    url = new URL(address, base);
  } catch (error) {
    throw new HubError('invalid', 'url is not an address.', {}, error);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw closed(`${url.protocol} addresses are not fetched`);
  if (url.username !== '' || url.password !== '')
    throw closed('an address with a password in it is not fetched');
  return url;
}

/** What can be told of an address without asking a name server: that would reach outside already. */
export function refuseClosed(address: string, isOpen: (address: string) => boolean = () => false): void {
  const { hostname } = parseAddress(address);
  const name = hostname.replace(/^\[|\]$/g, '');
  if (isIP(name) && !isPublicAddress(name) && !isOpen(name)) throw notPublic(hostname);
}

/** The one address a connection may go to. If any address of a name is closed, the name is. */
async function judgeHost(host: string, options: FetchOptions, signal: AbortSignal): Promise<string> {
  const { resolve = resolveAll, isOpen = () => false } = options;
  const name = host.replace(/^\[|\]$/g, '');
  const addresses = isIP(name)
    ? [name]
    : await unlessAborted(resolve(name), signal).catch((error: unknown) => {
        throw signal.aborted
          ? tooSlow(error)
          : new HubError('unavailable', `${host} has no address.`, {}, error);
      });
  if (addresses.length === 0) throw new HubError('unavailable', `${host} has no address.`);
  if (!addresses.every((address) => isPublicAddress(address) || isOpen(address))) throw notPublic(host);
  return addresses[0]!;
}

/** A name server may keep silent for longer than the caller waits, and a look-up cannot be called off. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stop = new AbortController();
  const aborted = once(signal, 'abort', { signal: stop.signal }).then(() => signal.throwIfAborted() as never);
  aborted.catch(() => undefined);
  try {
    signal.throwIfAborted();
    return await Promise.race([work, aborted]);
  } finally {
    stop.abort();
  }
}

async function resolveAll(name: string): Promise<string[]> {
  return (await resolveName(name, { all: true, verbatim: true })).map(({ address }) => address);
}

async function send(url: URL, options: FetchOptions, signal: AbortSignal): Promise<IncomingMessage> {
  const pinned = await judgeHost(url.hostname, options, signal);
  const family = isIP(pinned);
  const lookup: LookupFunction = (_name, { all }, callback) => {
    if (all)
      (callback as (error: null, addresses: { address: string; family: number }[]) => void)(null, [
        { address: pinned, family },
      ]);
    else callback(null, pinned, family);
  };
  const headers = {
    'user-agent': 'Holdfast/0.1 (+local hub)',
    accept: 'text/html, text/*;q=0.9, application/json;q=0.8, */*;q=0.1',
    'accept-encoding': 'gzip, deflate, br',
  };
  return new Promise((resolve, reject) => {
    const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = start(url, { lookup, headers, signal, agent: false, maxHeaderSize: 64 * 1024 });
    request.once('response', resolve);
    request.once('error', (error: Error) => reject(unreachable(url, error, signal)));
    request.end();
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
    throw signal.aborted ? tooSlow(error) : new HubError('unavailable', 'The answer broke off.', {}, error);
  } finally {
    response.destroy();
  }
  return { body: Buffer.concat(chunks), truncated: false };
}

function unreachable(url: URL, error: Error, signal: AbortSignal): HubError {
  return signal.aborted
    ? tooSlow(error)
    : new HubError('unavailable', `${url.host} cannot be reached.`, {}, error);
}

function tooSlow(cause: unknown): HubError {
  return new HubError('unavailable', 'The address did not answer in time.', {}, cause);
}

function notPublic(host: string): HubError {
  return closed(`${host} leads to an address that is not public`);
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
