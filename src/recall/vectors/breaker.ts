import type { Clock } from '../../kernel/clock.ts';
import { HubError } from '../../kernel/errors.ts';

/** Stops asking an endpoint that keeps failing, so that searches do not wait for it again and again. */
export interface Breaker {
  /** Runs the call, or refuses at once while the circuit is open. */
  run<T>(call: () => Promise<T>): Promise<T>;
  readonly isOpen: boolean;
}

const FAILURES = 3;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 300_000;

export function createBreaker(clock: Clock): Breaker {
  let failures = 0;
  let openUntil = -Infinity;

  return {
    get isOpen() {
      return clock.elapsed() < openUntil;
    },
    async run(call) {
      if (clock.elapsed() < openUntil)
        throw new HubError(
          'unavailable',
          'The embedding endpoint failed repeatedly and is left alone for a while.',
        );
      try {
        const answer = await call();
        failures = 0;
        return answer;
      } catch (thrown) {
        failures += 1;
        if (failures >= FAILURES)
          openUntil =
            clock.elapsed() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - FAILURES));
        throw thrown;
      }
    },
  };
}
