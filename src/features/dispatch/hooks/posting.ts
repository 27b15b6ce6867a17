// The way of one webhook delivery: judged, signed, posted to the very address that was judged.
import { createHmac } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { HubError } from '../../../kernel/errors.ts';
import { isPublicAddress } from '../../coretools/coretools.ts';

export type HookPost = Readonly<{
  url: string;
  secret: string;
  id: string;
  body: string;
  /** What the form of the delivery adds or says otherwise. */
  headers?: Readonly<Record<string, string>>;
  isLocalAllowed: boolean;
  signal: AbortSignal;
}>;

const PATIENCE_MS = 10_000;

/** What can be told of an address without asking a name server. */
export function requireHookUrl(text: string, isLocalAllowed: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    !url ||
    (url.protocol !== 'https:' && url.protocol !== 'http:') ||
    url.username !== '' ||
    url.password !== ''
  )
    throw new HubError('invalid', 'url must be an http or https address without a password in it.');
  const name = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(name) && !isPublicAddress(name) && !isLocalAllowed) throw notPublic(url.hostname);
  return url;
}

/**
 * Posts one delivery, signed. The name is looked up once, every address it has is judged, and the connection goes to the very address
 * that was judged; redirects are not followed.
 */
export async function post(delivery: HookPost): Promise<void> {
  const { url: text, secret, id, body, isLocalAllowed, signal } = delivery;
  const url = requireHookUrl(text, isLocalAllowed);
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(name) ? [name] : (await lookup(name, { all: true })).map(({ address }) => address);
  if (!isLocalAllowed && !addresses.every(isPublicAddress)) throw notPublic(url.hostname);
  const [address] = addresses;
  if (address === undefined) throw new HubError('unavailable', `${url.hostname} has no address.`);
  const at = Math.floor(Date.now() / 1000);
  const headers = {
    'content-type': 'application/json',
    ...delivery.headers,
    'content-length': Buffer.byteLength(body),
    'user-agent': 'Holdfast',
    'x-holdfast-delivery': id,
    'x-holdfast-timestamp': at,
    'x-holdfast-signature': signatureOf(secret, at, body),
  };
  const status = await send(url, {
    headers,
    address,
    body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
  });
  if (status < 200 || status > 299) throw new HubError('unavailable', `${url.host} answered ${status}.`);
}

function signatureOf(secret: string, at: number, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;
}

type Sending = Readonly<{
  headers: Readonly<Record<string, string | number>>;
  address: string;
  body: string;
  signal: AbortSignal;
}>;

function send(url: URL, { headers, address, body, signal }: Sending): Promise<number> {
  const family = isIP(address);
  const pinned: LookupFunction = (_name, { all }, callback) => {
    if (all) (callback as (error: null, found: object[]) => void)(null, [{ address, family }]);
    else callback(null, address, family);
  };
  const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = start(url, { method: 'POST', headers, lookup: pinned, signal, agent: false });
    request.once('response', (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    request.once('error', (error) =>
      reject(new HubError('unavailable', `${url.host} cannot be reached.`, {}, error)),
    );
    request.end(body);
  });
}

function notPublic(host: string): HubError {
  return new HubError('forbidden', `${host} is not a public address.`, {
    hint: 'dispatch.local-webhooks: true in config.yaml lets webhooks go to this machine and its network.',
  });
}
