import type { Api } from '../features/api.ts';
import { type ErrorCode, HubError } from '../kernel/errors.ts';
import type { CallHub } from '../kernel/hub-link.ts';
import type { CallRoute } from '../operation/call-route.ts';
import { callRoutes } from '../operation/client.ts';

/** Advice that depends on the refusal may ask the hub for more; undefined leaves the hub's own. */
type Advise = (error: HubError, ask: CallRoute<Api>) => Promise<string | undefined>;
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
      const hint = typeof advice === 'function' ? await advice(error, askingBy(call)) : advice;
      if (hint === undefined) throw error;
      throw new HubError(error.code, error.message, { ...error.details, hint }).because(error.cause);
    }
  };
}

export function askingBy(call: CallHub): CallRoute<Api> {
  return callRoutes<Api>(({ method, path, body }) => call(method, path, body));
}
