import type { IncomingHttpHeaders } from 'node:http';
import { HubError } from '../../../kernel/errors.ts';

type Asked = Readonly<{ headers: IncomingHttpHeaders; url: string; route: string }>;

/** A 401 of an MCP path says where a client learns how to get a token (RFC 9728). */
export function withResource(thrown: unknown, { headers, url, route }: Asked): unknown {
  if (!(thrown instanceof HubError) || thrown.code !== 'unauthorized' || !/^\/mcp(\/:beingId)?$/.test(route))
    return thrown;
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  const [, id] = /^\/mcp\/([0-9a-f-]{36})\/?(?:\?|$)/i.exec(url) ?? [];
  const place = `/.well-known/oauth-protected-resource/mcp${id === undefined ? '' : `/${id}`}`;
  return new HubError(thrown.code, thrown.message, {
    ...thrown.details,
    resourceMetadata: `${scheme}://${headers.host ?? ''}${place}`,
  }).because(thrown.cause);
}

/** Does the address ask for a Being: by its path, or by `?being_id=`, which may leave the choice to the consent? */
export function asksForBeing({ url, route }: Pick<Asked, 'url' | 'route'>): boolean {
  if (route === '/mcp/:beingId') return true;
  const at = url.indexOf('?');
  return route === '/mcp' && at >= 0 && new URLSearchParams(url.slice(at + 1)).has('being_id');
}

/** Only a token of the Being opens its own path: whoever shows another, or none, is not let in as somebody else. */
export function refuseStranger(): HubError {
  return new HubError('unauthorized', 'This path needs a token of the Being.', {
    hint: 'Send `Authorization: Bearer brt_…`; `holdfast being token <id>` makes one.',
  });
}
