import { type ErrorCode, HubError } from '../kernel/errors.ts';

export type Hints = Readonly<Partial<Record<ErrorCode, string>>>;
type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/**
 * A refusal of the hub advises whoever calls tools. At the terminal the way on is another command, so a
 * command says here what to do about the refusals that people meet; all others keep the hub's advice.
 */
export function adviseWith(hints: Hints, call: Call): Call {
  return async (...request) => {
    try {
      return await call(...request);
    } catch (error) {
      const hint = error instanceof HubError ? hints[error.code] : undefined;
      if (!(error instanceof HubError) || hint === undefined) throw error;
      throw new HubError(error.code, error.message, { ...error.details, hint }, error.cause);
    }
  };
}
