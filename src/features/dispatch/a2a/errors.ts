// The errors of A2A 1.0 as JSON-RPC carries them: a code, a sentence, and an ErrorInfo that programs can
// read.
import { HubError, toHubError } from '../../../kernel/errors.ts';

const ERRORS = {
  taskNotFound: { code: -32_001, reason: 'TASK_NOT_FOUND' },
  taskNotCancelable: { code: -32_002, reason: 'TASK_NOT_CANCELABLE' },
  unsupported: { code: -32_004, reason: 'UNSUPPORTED_OPERATION' },
  contentType: { code: -32_005, reason: 'CONTENT_TYPE_NOT_SUPPORTED' },
  version: { code: -32_009, reason: 'VERSION_NOT_SUPPORTED' },
  invalid: { code: -32_602, reason: 'INVALID_PARAMS' },
} as const;

const INVALID_REQUEST = -32_600;
const NO_METHOD = -32_601;
const INTERNAL = -32_603;

export class A2aError extends Error {
  override readonly name = 'A2aError';
  readonly kind: keyof typeof ERRORS | 'noMethod';

  constructor(kind: A2aError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** For what HTTP refuses before a method was called. */
export function refusalOf(error: HubError): object {
  if (error.code === 'unsupported_media') return errorOf(new A2aError('contentType', error.message));
  return { ...errorOf(error), code: error.details['rpcCode'] ?? INVALID_REQUEST };
}

export function errorOf(thrown: unknown): object {
  if (thrown instanceof A2aError) {
    if (thrown.kind === 'noMethod') return { code: NO_METHOD, message: thrown.message };
    const { code, reason } = ERRORS[thrown.kind];
    return { code, message: thrown.message, data: [infoOf(reason)] };
  }
  const error = thrown instanceof HubError ? thrown : toHubError(thrown);
  return {
    code: error.status < 500 ? ERRORS.invalid.code : INTERNAL,
    message: error.message,
    data: [infoOf(error.code.toUpperCase(), error.hint === undefined ? {} : { hint: error.hint })],
  };
}

function infoOf(reason: string, metadata: Readonly<Record<string, string>> = {}): object {
  return {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: 'a2a-protocol.org',
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}
