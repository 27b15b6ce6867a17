import { HubError, toHubError } from '../kernel/errors.ts';
import { codeOf } from '../kernel/file-faults.ts';
import { redactValue } from '../kernel/redact.ts';

/**
 * What goes over the wire for a refusal. Rendered here and nowhere else, in the forms of `error-forms.ts`: never HTML,
 * never database text, and masked whole: a refusal quotes what was sent, in its sentence, its details and the ids it
 * did not find.
 */
export type Rendered = Readonly<{ status: number; headers: Readonly<Record<string, string>>; body: string }>;

const JSON_TYPE = 'application/json; charset=utf-8';

/** Our own words for a refusal. */
export function ownBody(error: HubError, id?: string): Readonly<Record<string, unknown>> {
  // What headers and JSON-RPC make of an error is no news to a reader of the body.
  const {
    hint: _,
    rpcCode: _code,
    challenge: _challenge,
    resourceMetadata: _metadata,
    got_id,
    endpoints,
    ...details
  } = error.details;
  return {
    error: error.message,
    code: error.code,
    hint: error.hint,
    // Clients of the documented gateway look for these two beside `error`.
    ...(got_id !== undefined && { got_id }),
    ...(endpoints !== undefined && { endpoints }),
    ...(Object.keys(details).length > 0 && { details }),
    // The log has what went wrong under this id; whoever reports it can name it.
    ...(error.code === 'internal' && id !== undefined && { requestId: id }),
  };
}

/** RFC 6749 and 7591: programs read `error`, which is one of their words; a form that cannot be read is no valid request. */
export function renderOAuthError(error: HubError): Rendered {
  const isOurs = error.status >= 500;
  const body = {
    error: isOurs ? 'server_error' : 'invalid_request',
    error_description:
      error.code === 'unsupported_media' ? 'the request body is no form and no JSON' : error.message,
  };
  return {
    status: error.code === 'unsupported_media' ? 400 : error.status,
    headers: { ...headersFor(error), 'cache-control': 'no-store' },
    body: JSON.stringify(redactValue(body)),
  };
}

/** Where JSON-RPC is spoken every refusal is one of its errors, except the documented 500. */
export function renderRpcError(error: HubError): Rendered {
  if (error.code === 'internal')
    return { status: 500, headers: headersFor(error), body: JSON.stringify({ error: error.message }) };
  const code = error.details['rpcCode'] ?? -32_000;
  const body = {
    jsonrpc: '2.0',
    id: null,
    error: { code, message: error.message, data: { code: error.code, hint: error.hint } },
  };
  return { status: error.status, headers: headersFor(error), body: JSON.stringify(body) };
}

export function headersFor(error: HubError): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': JSON_TYPE };
  if (error.isRetryable) headers['retry-after'] = '1';
  if (error.code === 'unauthorized') headers['www-authenticate'] = challengeOf(error);
  const allow = error.details['allow'];
  if (error.code === 'method_not_allowed' && Array.isArray(allow)) headers['allow'] = allow.join(', ');
  return headers;
}

/** RFC 6750: what was wrong with the credential, when one was shown. */
function challengeOf({ details }: HubError): string {
  const { challenge, resourceMetadata } = details;
  const error = typeof challenge === 'string' ? `, error="${challenge}"` : '';
  // RFC 9728: where a client without a token learns how to get one.
  const metadata = typeof resourceMetadata === 'string' ? `, resource_metadata="${resourceMetadata}"` : '';
  return `Bearer realm="holdfast"${error}${metadata}`;
}

const FRAMEWORK: Readonly<Record<string, (thrown: Error) => HubError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: (thrown) =>
    new HubError('too_large', 'The request body is larger than this endpoint accepts.').because(thrown),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (thrown) =>
    new HubError('unsupported_media', 'The request body must be application/json.').because(thrown),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: (thrown) =>
    new HubError('invalid', 'The body does not have the length its header promises.').because(thrown),
  FST_ERR_MAX_PARAM_LENGTH: (thrown) =>
    new HubError('invalid', 'A part of the path is longer than any name can be.').because(thrown),
  FST_ERR_BAD_URL: (thrown) => new HubError('invalid', 'The path is not a valid URL.').because(thrown),
};

/** The funnel of this surface: the framework's own refusals become ours, everything else goes through the kernel's. */
export function fromFramework(thrown: unknown): HubError {
  const code = codeOf(thrown);
  return FRAMEWORK[code]?.(thrown as Error) ?? toHubError(thrown);
}

/** For the sockets that never became a request: the bytes of a whole answer. */
export function rawAnswer(status: 400 | 408 | 431, message: string): string {
  const reason = { 400: 'Bad Request', 408: 'Request Timeout', 431: 'Request Header Fields Too Large' }[
    status
  ];
  const body = JSON.stringify({ error: message, code: 'invalid' });
  return `HTTP/1.1 ${status} ${reason}\r\ncontent-type: ${JSON_TYPE}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`;
}
