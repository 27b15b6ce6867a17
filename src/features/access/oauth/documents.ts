import { lookup } from 'node:dns';
import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { BlockList, isIPv6, type LookupFunction } from 'node:net';
import { HubError } from '../../../kernel/errors.ts';

/**
 * Fetches the metadata document of a client. Whoever sends somebody to /authorize chooses this address, so it is not
 * trusted: no redirects, no private addresses, little time, little text. The address that was checked is the one that is
 * connected to.
 */
const PATIENCE_MS = 5_000;
const MAX_BYTES = 64 * 1024;

const PRIVATE = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  PRIVATE.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of [
  ['::', 127],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  PRIVATE.addSubnet(net, bits, 'ipv6');

export function fetchDocument(url: URL, isLoopback: boolean): Promise<unknown> {
  const isOwn = isLoopback && url.protocol === 'http:' && url.hostname === '127.0.0.1';
  if (!isOwn && isAddress(url.hostname) && isPrivate(bare(url.hostname)))
    return Promise.reject(unusable('is at a private address'));
  const request = url.protocol === 'https:' ? overHttps : overHttp;
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        headers: { accept: 'application/json' },
        signal: AbortSignal.timeout(PATIENCE_MS),
        ...(!isOwn && { lookup: publicLookup }),
      },
      (response) => {
        const type = response.headers['content-type'] ?? '';
        if (response.statusCode !== 200 || !/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) {
          response.destroy();
          return reject(unusable('did not answer with JSON'));
        }
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > MAX_BYTES) response.destroy(unusable('is too large'));
          else chunks.push(chunk);
        });
        response.on('error', (error) => reject(error instanceof HubError ? error : unusable('broke off')));
        response.on('end', () => {
          try {
            resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')));
          } catch {
            reject(unusable('is not JSON'));
          }
        });
      },
    );
    sent.on('error', (error) => reject(error instanceof HubError ? error : unusable('cannot be fetched')));
    sent.end();
  });
}

const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    if (addresses.length === 0 || addresses.some(({ address }) => isPrivate(address))) {
      return callback(unusable('is at a private address'), '', 0);
    }
    if (options.all) return callback(null, addresses);
    return callback(null, addresses[0]!.address, addresses[0]!.family);
  });
};

function isAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function isPrivate(address: string): boolean {
  return PRIVATE.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

function unusable(why: string): HubError {
  return new HubError('invalid', `The document of this client ${why}.`);
}
