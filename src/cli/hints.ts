import { type ErrorCode, HubError } from '../kernel/errors.ts';
import type { CallHub } from '../kernel/hub-link.ts';

/** Advice that depends on the refusal may ask the hub for more; undefined leaves the hub's own. */
type Advise = (error: HubError, call: CallHub) => Promise<string | undefined>;
export type Hints = Readonly<Partial<Record<ErrorCode, string | Advise>>>;

/**
 * A refusal of the hub advises whoever calls tools. At the terminal the way on is another command, so a
 * command says here what to do about the refusals that people meet; all others keep the hub's advice.
 */
export function adviseWith(hints: Hints, call: CallHub): CallHub {
  return async (...request) => {
    try {
      return await call(...request);
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      const advice = hints[error.code];
      const hint = typeof advice === 'function' ? await advice(error, call) : advice;
      if (hint === undefined) throw error;
      throw new HubError(error.code, error.message, { ...error.details, hint }, error.cause);
    }
  };
}
