import type { IncomingHttpHeaders } from 'node:http';
import { isLoopbackName } from '../../../kernel/loopback.ts';

/**
 * Headers that only something between a client and the hub writes. One of them is enough: a proxy on this machine makes
 * every request look as if it began here.
 */
const PROXY_HEADER = new RegExp(
  `^(?:${[
    'forwarded',
    'via',
    'x-forwarded(?:-.+)?',
    'x-(?:real|client|cluster-client|original|remote|appengine-user|azure-client)-?ip',
    'x-original-(?:host|url|for|uri|forwarded-for)',
    'x-(?:envoy|arr|amz-cf|amzn|azure|vercel|nf)-.+',
    'x-proxy(?:-.+)?',
    'cf-.+',
    'cdn-loop',
    '(?:true|fastly|fly)-client-ip',
    'fly-.+',
    'ngrok-.+',
    'tailscale-.+',
    'proxy-.+',
    'x-cloud-trace-context',
    'client-ip',
  ].join('|')})$`,
);

/** Did something stand between the client and us? */
function isProxied(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (PROXY_HEADER.test(name)) return true;
  return false;
}

/** Through a proxy or under another name, loopback says nothing about where a request began. */
export function isDirect(headers: IncomingHttpHeaders): boolean {
  return isLoopbackName(headers.host ?? '') && !isProxied(headers);
}
