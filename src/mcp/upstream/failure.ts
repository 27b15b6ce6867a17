import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { HubError } from '../../kernel/errors.ts';
import { redact } from '../../kernel/redact.ts';
import { type Failure, failureIn, type Refused } from './failures.ts';
import { STREAM_ENDED } from './web.ts';

const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'EACCES',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function failureOf(error: unknown): Failure {
  if (error instanceof HubError) return failureIn(error);
  if (error instanceof UnauthorizedError) return 'login';
  if (error instanceof ProtocolError) return error.message.includes(STREAM_ENDED) ? 'closed' : 'answered';
  if (error instanceof SdkHttpError) return ofStatus(error.status);
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.NotConnected) return 'unsent';
    if (error.code === SdkErrorCode.ConnectionClosed) return 'closed';
    return error.code === SdkErrorCode.RequestTimeout ? 'timeout' : 'broken';
  }
  const code = codeOf(error);
  if (code !== undefined) return UNSENT.has(code) ? 'unsent' : 'closed';
  const message = error instanceof Error ? error.message : '';
  return message === 'Not connected' || message === 'the program has ended' ? 'unsent' : 'broken';
}

function ofStatus(status: number | undefined): Failure {
  if (status === 401 || status === 403) return 'login';
  if (status === 404) return 'session';
  return status !== undefined && status >= 502 && status <= 504 ? 'closed' : 'broken';
}

/** Of an error or of what caused it. */
function codeOf(error: unknown): string | undefined {
  for (
    let here: unknown = error, depth = 0;
    here instanceof Error && depth < 4;
    here = here.cause, depth += 1
  ) {
    const { code } = here as NodeJS.ErrnoException;
    if (typeof code === 'string' && /^(?:E[A-Z]|UND_ERR)/.test(code)) return code;
  }
  return undefined;
}

export function asHubError(error: unknown, where: string): HubError {
  if (error instanceof HubError) return error;
  const failure = failureOf(error);
  const message = redact(messageOf(error)).slice(0, 500);
  const refused = error instanceof ProtocolError ? { refused: refusedOf(error) } : {};
  const details = { failure, ...refused };
  if (failure === 'login')
    return new HubError('unauthorized', `${where} wants a login: ${message}`, details).because(error);
  return new HubError('unavailable', `${where} could not be reached or refused: ${message}`, details).because(
    error,
  );
}

function refusedOf({ code, message, data }: ProtocolError): Refused {
  return { code, message, ...(data !== undefined && { data }) };
}

/** `fetch failed` says nothing; its cause does. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause.message || codeOf(error.cause) : undefined;
  return cause !== undefined && cause !== error.message ? `${error.message} (${cause})` : error.message;
}
