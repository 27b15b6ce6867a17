import { isIP } from 'node:net';
import { isPublicAddress } from '../../kernel/addresses.ts';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const MOST_REDIRECTS = 5;

/**
 * A server of others says where to go on: by redirects, and by naming who logs its users in. A redirect is
 * followed within its site alone, since our headers go along, keys included. And a server of the public web leads
 * to nothing on this machine or its network: whatever listens there takes the hub for its own user.
 */
export function withinSite(source: string, base: Fetch = fetch): Fetch {
  const isFromHere = isInward(new URL(source));
  return async (url, init = {}) => {
    let at = new URL(url);
    for (let hops = 0; ; hops += 1) {
      if (!isFromHere && isInward(at)) throw new TypeError(`it leads to ${at.host}, which is not public`);
      const response = await base(at, { ...init, redirect: 'manual' });
      const location = response.headers.get('location');
      if (response.status < 300 || response.status > 399 || location === null) return response;
      await response.body?.cancel();
      const to = new URL(location, at);
      if (!isSameSite(at, to)) throw new TypeError(`it redirects to ${to.origin}, which is another site`);
      // Anything else would make a question of what was sent, without its body.
      const isKept = response.status === 307 || response.status === 308 || (init.method ?? 'GET') === 'GET';
      if (!isKept || hops >= MOST_REDIRECTS) throw new TypeError(`it redirects (${response.status})`);
      at = to;
    }
  };
}

/** The same origin, or the same host with TLS instead of without. */
function isSameSite(from: URL, to: URL): boolean {
  const isSafer = from.protocol === 'http:' && to.protocol === 'https:' && from.port === '' && to.port === '';
  return from.origin === to.origin || (isSafer && from.hostname === to.hostname);
}

function isInward({ hostname }: URL): boolean {
  const name = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return name === 'localhost' || name.endsWith('.localhost') || (isIP(name) !== 0 && !isPublicAddress(name));
}
