import { isInward, type Outbound, OutboundFailure } from '../../kernel/outbound.ts';
import { createOutboundFetch, type Fetch } from '../../kernel/outbound-fetch.ts';

const MOST_REDIRECTS = 5;

/**
 * A server of others says where to go on: by redirects, and by naming who logs its users in. A redirect is
 * followed within its site alone, since our headers go along, keys included. And a server of the public web leads
 * to nothing on this machine or its network: whatever listens there takes the hub for its own user. One that a person put
 * on their own network may.
 */
export function withinSite(source: string, resolve?: Outbound['resolve']): Fetch {
  // Decided once: a name that was public when it was first asked cannot turn inward afterwards.
  let base: Promise<Fetch> | undefined;
  const choose = async (): Promise<Fetch> =>
    (await isInward(new URL(source), resolve)) ? fetch : createOutboundFetch(resolve && { resolve });
  return async (url, init = {}) => {
    let at = new URL(url);
    base ??= choose();
    base.catch(() => (base = undefined));
    const ask = await base;
    for (let hops = 0; ; hops += 1) {
      const response = await ask(at, { ...init, redirect: 'manual' }).catch((error: unknown) => {
        throw inOwnWords(error, at);
      });
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

function inOwnWords(error: unknown, { host }: URL): unknown {
  if (!(error instanceof OutboundFailure)) return error;
  return new TypeError(error.why === 'closed' ? `it leads to ${host}, which is not public` : error.message, {
    cause: error,
  });
}
