import { diskFault } from './file-faults.ts';

/**
 * Every way the hub says no. One table of codes, one class, one funnel from unknown;
 * surfaces render it, nobody else invents a status.
 */
export const ERRORS = {
  not_found: { status: 404, retry: 'never', hint: 'Check the id; list what exists first.' },
  invalid: { status: 400, retry: 'after_change', hint: 'Correct the named argument and call again.' },
  conflict: { status: 409, retry: 'never', hint: 'Someone else got there first; pick other work.' },
  stale_fence: {
    status: 409,
    retry: 'never',
    hint: 'You no longer hold this claim: stop, and hand over your notes in a comment.',
  },
  not_holder: {
    status: 409,
    retry: 'never',
    hint: 'Somebody else holds this task: pick other work, or tell its holder what you know.',
  },
  forbidden: { status: 403, retry: 'never', hint: 'This caller may not do that; ask the operator.' },
  unauthorized: { status: 401, retry: 'after_change', hint: 'Send a valid credential.' },
  too_large: { status: 413, retry: 'after_change', hint: 'Send less at once.' },
  method_not_allowed: {
    status: 405,
    retry: 'never',
    hint: 'Use one of the methods named in the Allow header.',
  },
  unsupported_media: {
    status: 415,
    retry: 'after_change',
    hint: 'Send JSON with `Content-Type: application/json`.',
  },
  limited: {
    status: 429,
    retry: 'later',
    hint: 'A configured limit was reached; wait, or ask the operator to raise it.',
  },
  busy: { status: 503, retry: 'later', hint: 'The hub has too much waiting; try again in a moment.' },
  unavailable: {
    status: 503,
    retry: 'later',
    hint: 'The hub could not do this now; try again, and run `holdfast doctor` if it persists.',
  },
  internal: { status: 500, retry: 'never', hint: 'This is a defect in the hub; its log has the details.' },
} as const satisfies Record<
  string,
  { status: number; retry: 'never' | 'later' | 'after_change'; hint: string }
>;

export type ErrorCode = keyof typeof ERRORS;

export type ErrorDetails = Readonly<Record<string, unknown>>;

export class HubError extends Error {
  override readonly name = 'HubError';
  readonly code: ErrorCode;
  /** Facts a caller may see and branch on. Never a secret, never database text. */
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  /** What led to it: for the log, never for the caller. */
  because(cause: unknown): this {
    if (cause !== undefined) Object.defineProperty(this, 'cause', { value: cause, configurable: true });
    return this;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  /** An error that waiting does not mend, whatever its code says, carries `retryable: false`. */
  get isRetryable(): boolean {
    return this.details['retryable'] !== false && ERRORS[this.code].retry === 'later';
  }

  get hint(): string {
    return typeof this.details['hint'] === 'string' ? this.details['hint'] : ERRORS[this.code].hint;
  }
}

/** The one funnel: whatever was thrown becomes an error that is safe to show. The original stays as `cause` for the log. */
export function toHubError(thrown: unknown): HubError {
  if (thrown instanceof HubError) return thrown;
  const fault = diskFault(thrown);
  if (fault !== undefined)
    return new HubError('unavailable', `This could not be done: ${fault}.`).because(thrown);
  return new HubError('internal', 'The hub hit an internal error.').because(thrown);
}

/** For looking at what need not be there. */
export function unlessUnknown(error: unknown): undefined {
  if (error instanceof HubError && error.code === 'not_found') return undefined;
  throw error;
}
