// The way of one webhook delivery: signed, and posted as everything that leaves this machine.
import { createHmac } from 'node:crypto';
import { isPublicAddress } from '../../../kernel/addresses.ts';
import { HubError } from '../../../kernel/errors.ts';
import { isAnyAddress, judgeUrl, OutboundFailure, sendOut } from '../../../kernel/outbound.ts';

export type HookPost = Readonly<{
  url: string;
  secret: string;
  id: string;
  body: string;
  /** What the form of the delivery adds or says otherwise. */
  headers?: Readonly<Record<string, string>>;
  isLocalAllowed: boolean;
  signal: AbortSignal;
}>;

const PATIENCE_MS = 10_000;

/** What can be told of an address without asking a name server. */
export function requireHookUrl(text: string, isLocalAllowed: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw noAddress();
  try {
    judgeUrl(url, openTo(isLocalAllowed));
  } catch (error) {
    throw inOwnWords(error, url);
  }
  return url;
}

function openTo(isLocalAllowed: boolean): (address: string) => boolean {
  return isLocalAllowed ? isAnyAddress : isPublicAddress;
}

export async function post(delivery: HookPost): Promise<void> {
  const { url: text, secret, id, body, isLocalAllowed, signal } = delivery;
  const url = requireHookUrl(text, isLocalAllowed);
  const at = Math.floor(Date.now() / 1000);
  const response = await sendOut(url, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      ...delivery.headers,
      'user-agent': 'Holdfast',
      'x-holdfast-delivery': id,
      'x-holdfast-timestamp': at,
      'x-holdfast-signature': signatureOf(secret, at, body),
    },
    isOpen: openTo(isLocalAllowed),
    signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
  }).catch((error: unknown) => {
    throw inOwnWords(error, url);
  });
  response.resume();
  const status = response.statusCode!;
  if (status < 200 || status > 299) throw new HubError('unavailable', `${url.host} answered ${status}.`);
}

function signatureOf(secret: string, at: number, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;
}

function inOwnWords(error: unknown, url: URL): unknown {
  if (!(error instanceof OutboundFailure)) return error;
  if (error.why === 'scheme' || error.why === 'password') return noAddress();
  if (error.why === 'closed') return notPublic(url.hostname);
  const reason =
    error.why === 'nameless' ? `${url.hostname} has no address` : `${url.host} cannot be reached`;
  return new HubError('unavailable', `${reason}.`).because(error);
}

function noAddress(): HubError {
  return new HubError('invalid', 'url must be an http or https address without a password in it.');
}

function notPublic(host: string): HubError {
  return new HubError('forbidden', `${host} is not a public address.`, {
    hint: 'dispatch.local-webhooks: true in config.yaml lets webhooks go to this machine and its network.',
  });
}
