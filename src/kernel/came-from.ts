import type { IncomingHttpHeaders } from 'node:http';
import { isIPv6 } from 'node:net';
import { isLoopbackName } from './loopback.ts';

/** A request as it is counted: what it says of its way, and the other end of its connection. */
type Counted = Readonly<{
  headers: IncomingHttpHeaders;
  socket?: Readonly<{ remoteAddress?: string | undefined }> | undefined;
}>;

/**
 * Where a request came from, for limits that are each sender's own: never for who somebody is. Behind a proxy of this
 * machine all connections are the proxy's; what it wrote last is whom it saw. Of IPv6 a household has a whole network.
 */
export function cameFrom({ headers, socket }: Counted): string {
  const peer = plain(socket?.remoteAddress ?? '');
  const forwarded = headers['x-forwarded-for'];
  const last = isLoopbackName(peer) ? [forwarded].flat().at(-1)?.split(',').at(-1) : undefined;
  const address = plain(last ?? peer);
  return isIPv6(address) && !isLoopbackName(address) ? networkOf(address) : address.slice(0, 64);
}

function plain(address: string): string {
  return address
    .trim()
    .replace(/^\[(.*)\].*$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/i, '')
    .replace(/%.*$/, '');
}

/** Its first 64 bits. */
function networkOf(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::');
  const [before, after] = [head, tail ?? ''].map((half) => (half === '' ? [] : half.split(':'))) as [
    string[],
    string[],
  ];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
