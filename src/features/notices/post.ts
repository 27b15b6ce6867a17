import { isPublicAddress } from '../../kernel/addresses.ts';
import { isAnyAddress, OutboundFailure, sendOut } from '../../kernel/outbound.ts';

type Letter = Readonly<{
  url: string;
  body: string;
  headers: Readonly<Record<string, string>>;
  isPrivate: boolean;
}>;

const PATIENCE_MS = 5_000;

/**
 * Sends a notice: to a public address, unless the settings say that it is private. A redirect is a refusal: it would
 * lead somewhere that nobody judged. What is answered is not read.
 */
export async function post({ url, body, headers, isPrivate }: Letter, signal: AbortSignal): Promise<void> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const response = await sendOut(new URL(url), {
    method: 'POST',
    body,
    headers: { ...headers, 'user-agent': 'holdfast' },
    signal: AbortSignal.any([signal, patience]),
    isOpen: isPrivate ? isAnyAddress : isPublicAddress,
  }).catch((error: unknown) => {
    throw inOwnWords(error);
  });
  response.destroy();
  const status = response.statusCode ?? 0;
  if (status >= 300 && status < 400) throw new Error(`it redirects (${status})`);
  if (status < 200 || status > 299) throw new Error(`it answered ${status}`);
}

function inOwnWords(error: unknown): unknown {
  if (!(error instanceof OutboundFailure)) return error;
  if (error.why === 'closed')
    return new Error('its address is private; say `private: true` if that is meant');
  if (error.why === 'slow') return new Error(`it did not answer within ${PATIENCE_MS / 1000} seconds`);
  return error.cause instanceof Error ? error.cause : error;
}
