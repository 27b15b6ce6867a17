// Rules for addresses of the web see where a request goes, not how its address was spelled.
import { domainToASCII } from 'node:url';
import { matchesPattern } from '../pattern.ts';

type AddressPattern = Readonly<{ scheme: string; host: string; port: string | undefined; rest: string }>;

/** `https://*.example.com/docs/*`; undefined for a pattern that is for something else. */
export function readAddressPattern(pattern: string): AddressPattern | undefined {
  const [, scheme, authority, rest] = /^([a-z*][a-z0-9+.*-]*):\/\/([^/#]*)(.*)$/is.exec(pattern) ?? [];
  if (scheme === undefined || authority === undefined || authority === '') return undefined;
  const [, name = '', port] = /^(.*?)(?::(\d+|\*))?$/s.exec(authority) ?? [];
  return { scheme: scheme.toLowerCase(), host: plainHost(name), port, rest: rest! };
}

/** The place an http address leads to; undefined for any other text. */
export function readWebAddress(text: string): URL | undefined {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

/**
 * A star of the host does not reach into the path, so `https://*.example.com/*` is no rule for
 * `https://other.net/x.example.com/`. An allowing pattern is for exactly what it says; one that denies or asks
 * holds for the site on every port and with or without TLS, and for a path however it is encoded.
 */
export function addressMatches(pattern: AddressPattern, url: URL, isAllowing: boolean): boolean {
  return isAllowing ? isAllowed(pattern, url) : isMeant(pattern, url);
}

function isAllowed({ scheme, host, port, rest }: AddressPattern, url: URL): boolean {
  // `https://example.com*` is the site and all its pages, not a site whose name begins so.
  const isOpenEnd = rest === '' && host.endsWith('*');
  const site = isOpenEnd && host.length > 1 ? host.slice(0, -1) : host;
  const path = `${url.pathname}${url.search}${url.hash}`;
  return (
    url.username === '' &&
    url.password === '' &&
    matchesPattern(scheme, url.protocol.slice(0, -1)) &&
    matchesPattern(site, plainHost(url.hostname)) &&
    matchesPattern(port ?? '', url.port) &&
    !decoded(url.pathname).split(/[\\/]/).includes('..') &&
    (isOpenEnd || matchesPattern(rest === '' ? '/' : rest, path))
  );
}

function isMeant({ scheme, host, port, rest }: AddressPattern, url: URL): boolean {
  const isWeb = /^https?$/.test(scheme) || matchesPattern(scheme, url.protocol.slice(0, -1));
  const paths = [url.pathname, decoded(url.pathname)].flatMap((path) => [path, path.replace(/\/{2,}/g, '/')]);
  const asked = `${url.search}${url.hash}`;
  return (
    isWeb &&
    matchesPattern(host, plainHost(url.hostname)) &&
    (port === undefined || matchesPattern(port, url.port || (url.protocol === 'https:' ? '443' : '80'))) &&
    (rest === '' ||
      paths.some((path) => [path, `${path}${asked}`, `${path}/`].some((each) => matchesPattern(rest, each))))
  );
}

/** Lower case, ASCII, and without the dot that ends a whole name. */
function plainHost(name: string): string {
  const bare = name.replace(/\.$/, '');
  // A question mark is one character of a pattern here, and would end the name there.
  return (bare.includes('?') ? '' : domainToASCII(bare)) || bare.toLowerCase();
}

function decoded(path: string): string {
  let text = path;
  for (let round = 0; round < 3; round += 1) {
    try {
      text = decodeURIComponent(text);
    } catch {
      return text;
    }
  }
  return text;
}
