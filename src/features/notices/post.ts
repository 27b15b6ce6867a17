import { lookup } from 'node:dns';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../../kernel/addresses.ts';

type Letter = Readonly<{
  url: string;
  body: string;
  headers: Readonly<Record<string, string>>;
  isPrivate: boolean;
}>;

const PATIENCE_MS = 5_000;

/**
 * Sends a notice. The connection goes to an address that was judged: a public one, unless the settings say that it is private.
 * A redirect is a refusal: it would lead somewhere that nobody judged. What is answered is not read.
 */
export function post({ url, body, headers, isPrivate }: Letter, signal: AbortSignal): Promise<void> {
  const { protocol, hostname } = new URL(url);
  const name = hostname.replace(/^\[|\]$/g, '');
  if (!isPrivate && (name === 'localhost' || (isIP(name) !== 0 && !isPublicAddress(name))))
    return Promise.reject(closed());
  const send = protocol === 'https:' ? httpsRequest : httpRequest;
  const patience = AbortSignal.timeout(PATIENCE_MS);
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      {
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body), 'user-agent': 'holdfast' },
        signal: AbortSignal.any([signal, patience]),
        agent: false,
        ...(!isPrivate && { lookup: publicLookup }),
      },
      (response) => {
        response.destroy();
        const status = response.statusCode ?? 0;
        if (status >= 200 && status < 300) resolve();
        else
          reject(
            new Error(status >= 300 && status < 400 ? `it redirects (${status})` : `it answered ${status}`),
          );
      },
    );
    request.on('error', (error) =>
      reject(patience.aborted ? new Error(`it did not answer within ${PATIENCE_MS / 1000} seconds`) : error),
    );
    request.end(body);
  });
}

function closed(): Error {
  return new Error('its address is private; say `private: true` if that is meant');
}

const publicLookup: LookupFunction = (name, options, done) => {
  lookup(name, { ...options, all: true }, (error, found) => {
    if (error) return done(error, '', 0);
    if (!found.every(({ address }) => isPublicAddress(address))) return done(closed(), '', 0);
    const [first] = found;
    if (options.all) done(null, found);
    else done(null, first!.address, first!.family);
  });
};
