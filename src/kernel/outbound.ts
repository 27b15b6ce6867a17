// The one way of a request that leaves this machine for an address somebody else chose: a page to fetch, a webhook, a
// notice, the document of an OAuth client, a server of others. The connection goes to the very address that was judged,
// and a name that has one closed address is closed: a second look-up leads nowhere else. Redirects are never followed
// here; whoever follows one asks again.
import type { LookupAddress } from 'node:dns';
import { lookup as resolveName } from 'node:dns/promises';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './addresses.ts';

export type Outbound = Readonly<{
  method?: string;
  headers?: Readonly<Record<string, string | number>>;
  body?: string | Uint8Array;
  signal: AbortSignal;
  /** Which addresses may be connected to; those of the public web unless given. */
  isOpen?: (address: string) => boolean;
  /** Connections that are kept for the next request; none unless given. */
  agent?: RequestOptions['agent'];
  /** Replaceable, so that a test can play a name server that changes its mind. */
  resolve?: (name: string) => Promise<readonly string[]>;
}>;

/** Why nothing was sent, or nothing came back. Whoever asked says it in words of its own. */
export class OutboundFailure extends Error {
  readonly why: 'scheme' | 'password' | 'closed' | 'nameless' | 'slow' | 'unreachable';

  constructor(why: OutboundFailure['why'], message: string, cause?: unknown) {
    super(message, { cause });
    this.why = why;
  }
}

/** For who may reach its own network as well. */
export function isAnyAddress(address: string): boolean {
  return isIP(address) !== 0;
}

/** What can be told of a URL without asking a name server: that would reach outside already. */
export function judgeUrl(url: URL, isOpen: Outbound['isOpen'] = isPublicAddress): void {
  const { protocol, username, password } = url;
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new OutboundFailure('scheme', `${protocol} addresses are not asked`);
  if (username !== '' || password !== '')
    throw new OutboundFailure('password', 'an address with a password in it is not asked');
  const name = nameOf(url);
  // The machine itself, whatever its name server makes of the name.
  const address = /(?:^|\.)localhost$/.test(name) ? '127.0.0.1' : name;
  if (isIP(address) !== 0 && !isOpen(address)) throw closed(url.hostname);
}

/** Does this lead to the machine itself or its network, as the name server says now? */
export async function isInward(url: URL, resolve: Outbound['resolve'] = resolveAll): Promise<boolean> {
  try {
    judgeUrl(url);
  } catch (error) {
    if (error instanceof OutboundFailure && error.why === 'closed') return true;
    throw error;
  }
  const name = nameOf(url);
  if (isIP(name) !== 0) return false;
  const addresses = await resolve(name).catch((error: unknown) => {
    throw nameless(name, error);
  });
  return !addresses.every(isPublicAddress);
}

/** Sends one request and answers its response as soon as its head is there. */
export async function sendOut(url: URL, outbound: Outbound): Promise<IncomingMessage> {
  const { method = 'GET', headers, body, signal, isOpen = isPublicAddress, agent = false } = outbound;
  judgeUrl(url, isOpen);
  const options: RequestOptions = {
    method,
    signal,
    lookup: judgedLookup(outbound),
    agent,
    maxHeaderSize: 64 * 1024,
    headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
  };
  const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = start(url, options);
    request.once('response', resolve);
    request.once('error', (error) => reject(failureOf(url, error, signal)));
    // A look-up cannot be called off, and a name server may keep silent for longer than the caller waits.
    signal.addEventListener('abort', () => reject(failureOf(url, signal.reason, signal)), { once: true });
    request.end(body);
  });
}

/** Every address that a name has is judged, and the connection goes to one of them. */
function judgedLookup(outbound: Outbound): LookupFunction {
  return (name, { all }, done) => void answer(name, all === true, done);

  async function answer(name: string, isAll: boolean, done: Parameters<LookupFunction>[2]): Promise<void> {
    let found: readonly LookupAddress[];
    try {
      found = await judgeName(name, outbound);
    } catch (error) {
      return done(error as Error, '', 0);
    }
    if (isAll) return (done as (error: null, found: readonly LookupAddress[]) => void)(null, found);
    return done(null, found[0]!.address, found[0]!.family);
  }
}

async function judgeName(name: string, outbound: Outbound): Promise<readonly LookupAddress[]> {
  const { isOpen = isPublicAddress, resolve = resolveAll } = outbound;
  const addresses = await resolve(name).catch((error: unknown) => {
    throw nameless(name, error);
  });
  if (addresses.length === 0) throw nameless(name);
  if (!addresses.every(isOpen)) throw closed(name);
  return addresses.map((address) => ({ address, family: isIP(address) }));
}

async function resolveAll(name: string): Promise<string[]> {
  return (await resolveName(name, { all: true, verbatim: true })).map(({ address }) => address);
}

function nameOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function closed(host: string): OutboundFailure {
  return new OutboundFailure('closed', `${host} leads to an address that is not public`);
}

function nameless(host: string, cause?: unknown): OutboundFailure {
  return new OutboundFailure('nameless', `${host} has no address`, cause);
}

function failureOf({ host }: URL, error: unknown, signal: AbortSignal): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  return signal.aborted
    ? new OutboundFailure('slow', `${host} did not answer in time`, error)
    : new OutboundFailure('unreachable', `${host} cannot be reached`, error);
}
