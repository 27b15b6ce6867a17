// The proxy that an address is reached through, as the environment says it. Decided here once, so that all who ask go the same way.
import type { Environment } from './config.ts';
import { HubError } from './errors.ts';
import { isLoopbackName } from './loopback.ts';

/** Undefined for what is reached directly: this machine always, and whatever NO_PROXY names. */
export function proxyFor(url: URL, env: Environment): URL | undefined {
  const named = env['https_proxy'] || env['HTTPS_PROXY'];
  const none = env['no_proxy'] || env['NO_PROXY'] || '';
  if (!named || url.protocol !== 'https:' || isLoopbackName(url.hostname) || isNamed(none, url))
    return undefined;
  const text = named.includes('://') ? named : `http://${named}`;
  const proxy = URL.canParse(text) ? new URL(text) : undefined;
  if (proxy?.protocol === 'http:') return proxy;
  throw new HubError('invalid', 'HTTPS_PROXY must be an address such as http://proxy.example:3128.', {
    hint: 'Proxies that speak TLS or SOCKS themselves are not understood.',
  });
}

/** `example.net` and `.example.net` name what is below it as well, `*` names all; with a port, that one alone. */
function isNamed(none: string, { hostname, port }: URL): boolean {
  return none.split(/[\s,]+/).some((each) => {
    const [, name = '', at] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(each.toLowerCase()) ?? [];
    if (each === '*') return true;
    if (name === '' || (at !== undefined && at !== (port || '443'))) return false;
    return hostname === name || hostname.endsWith(`.${name}`);
  });
}
