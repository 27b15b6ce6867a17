import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { HubError } from '../kernel/errors.ts';

/**
 * A hub on loopback is within reach of every web page the user opens. Three headers tell a page from a client:
 * Host (DNS rebinding), Origin and Sec-Fetch-Site (cross-site requests). Checked before a byte of the body is read.
 */
export type HostRules = Readonly<{ isAllowed(host: string): boolean }>;

export type Bound = Readonly<{ host: string; port: number; allowHosts: readonly string[] }>;

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];
const WILDCARDS = new Set(['0.0.0.0', '::', '']);

/** The exact `Host` values this hub answers to: its own names with its own port, and what the operator allowed. */
export function hostRules({ host, port, allowHosts }: Bound): HostRules {
  const own = WILDCARDS.has(host)
    ? LOOPBACK_NAMES
    : [...LOOPBACK_NAMES, host.includes(':') ? `[${host}]` : host.toLowerCase()];
  const allowed = new Set(own.map((name) => `${name}:${port}`));
  if (port === 80) own.forEach((name) => allowed.add(name));
  for (const name of allowHosts) {
    allowed.add(name);
    if (!/:\d+$/.test(name)) allowed.add(`${name}:${port}`);
  }
  return {
    isAllowed: (candidate) =>
      allowed.has(candidate.toLowerCase()) ||
      (WILDCARDS.has(host) && isOwnAddress(candidate, { port, isFour: host === '0.0.0.0' })),
  };
}

/**
 * Where every address is listened on, each of them is ours. They are looked up when asked, because they come and
 * go, and only as numbers: a name can be made to lead here by whoever owns it.
 */
function isOwnAddress(
  candidate: string,
  { port, isFour }: Readonly<{ port: number; isFour: boolean }>,
): boolean {
  const [, six, four, given = '80'] = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::(\d{1,5}))?$/i.exec(candidate) ?? [];
  const address = isFour ? four : (six ?? four);
  if (address === undefined || isIP(address) === 0 || Number(given) !== port) return false;
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return own.some((each) => each.address === canonical(address));
}

/** An IPv6 address has many spellings. */
function canonical(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}

/** Where a client on this machine reaches a hub that listens on `host`. */
export function reachableHost(host: string): string {
  if (WILDCARDS.has(host)) return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** `GET http://name/path` is for proxies, and its name would be one more Host that nobody looked at. */
export function guardTarget(url: string): void {
  if (!url.startsWith('/')) throw new HubError('invalid', 'The request target must be a path.');
}

/** Node keeps the first of two and drops the other: which one a proxy in between had looked at cannot be known. */
export function guardRepeated(rawHeaders: readonly string[]): void {
  const seen: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (!SINGLE.has(name)) continue;
    if (seen.includes(name))
      throw new HubError('invalid', `The request has more than one ${name} header.`, { header: name });
    seen.push(name);
  }
}

const SINGLE: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'origin',
  'sec-fetch-site',
  'mcp-session-id',
]);

/** `isOpen`: a page that another site may send its visitor to; then only the Host is looked at. */
export function guardOrigin(headers: IncomingHttpHeaders, rules: HostRules, isOpen = false): void {
  if (!rules.isAllowed(headers.host ?? ''))
    throw foreign(
      'Host',
      headers.host,
      'Use the address that the hub listens on, or start it with --allow-host to serve another name.',
    );
  if (isOpen) return;
  const { origin } = headers;
  if (origin !== undefined && !isOwnOrigin(origin, rules))
    throw foreign('Origin', origin, 'Web pages of other sites may not call the hub.');
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw foreign('Sec-Fetch-Site', site, 'Web pages of other sites may not call the hub.');
}

function isOwnOrigin(origin: string, rules: HostRules): boolean {
  const [, host] = /^https?:\/\/([^/?#@]+)$/.exec(origin) ?? [];
  return host !== undefined && rules.isAllowed(host);
}

function foreign(header: string, value: string | string[] | undefined, hint: string): HubError {
  return new HubError('forbidden', `This ${header} is not allowed here.`, {
    header,
    value: String(value ?? '').slice(0, 200),
    hint,
  });
}
