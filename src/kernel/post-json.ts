import { HubError } from './errors.ts';

/** Where somebody else's model answers JSON with JSON. */
export type JsonEndpoint = Readonly<{
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** Most bytes of an answer: one that streams without end is not read without end. */
  most: number;
  redirect?: 'error' | 'follow';
  /** The refusal of this endpoint; `what` completes a sentence about it. */
  failed(what: string, cause?: unknown): HubError;
}>;

/** No failure quotes what was asked. `late` is what is said when the signal ended it. */
export function postJson(
  endpoint: JsonEndpoint,
  { body, late }: Readonly<{ body: unknown; late?: string }>,
  signal: AbortSignal,
): Promise<unknown> {
  const headers = { 'content-type': 'application/json', ...endpoint.headers };
  return exchange({ ...endpoint, headers }, { method: 'POST', body: JSON.stringify(body), late }, signal);
}

export function getJson(endpoint: JsonEndpoint, signal: AbortSignal): Promise<unknown> {
  return exchange(endpoint, { method: 'GET' }, signal);
}

type Asked = Readonly<{ method: string; body?: string; late?: string | undefined }>;

async function exchange(
  { url, headers = {}, most, redirect = 'follow', failed }: JsonEndpoint,
  { late = 'does not answer', ...asked }: Asked,
  signal: AbortSignal,
): Promise<unknown> {
  let text: string;
  try {
    const response = await fetch(url, { ...asked, headers, redirect, signal });
    // The body of a failure may quote the request, and with it what somebody wants kept private.
    if (!response.ok) throw failed(`answered ${response.status}`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (size > most) throw failed('answered without end');
      chunks.push(chunk);
    }
    text = Buffer.concat(chunks).toString('utf8');
  } catch (cause) {
    if (cause instanceof HubError) throw cause;
    throw failed(signal.aborted ? late : 'does not answer', cause);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw failed('answered something that is not JSON', cause);
  }
}
