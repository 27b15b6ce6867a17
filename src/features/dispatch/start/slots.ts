import { HubError } from '../../../kernel/errors.ts';
import { createWindows } from '../../../kernel/windows.ts';

/**
 * How many at once and how many per minute. What must wait, waits in order; what comes too often is refused.
 */
export interface Slots {
  isFree(key: string, most: number): boolean;
  /** Resolves when it is this one's turn; rejects when the signal aborts first. */
  take(key: string, most: number, signal: AbortSignal): Promise<() => void>;
  /** Throws `limited` when more than `perMinute` began within a minute. */
  count(key: string, perMinute: number): void;
}

type Waiter = { key: string; most: number; go(): void };

export function createSlots(total: number): Slots {
  const taken = new Map<string, number>();
  const waiting: Waiter[] = [];
  const begun = createWindows(60_000);
  let all = 0;

  const isFree = (key: string, most: number) =>
    (total === 0 || all < total) && (most === 0 || (taken.get(key) ?? 0) < most);

  function occupy(key: string): () => void {
    all += 1;
    taken.set(key, (taken.get(key) ?? 0) + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      all -= 1;
      taken.set(key, taken.get(key)! - 1);
      wakeNext();
    };
  }

  function wakeNext(): void {
    const next = waiting.findIndex(({ key, most }) => isFree(key, most));
    if (next >= 0) waiting.splice(next, 1)[0]!.go();
  }

  return {
    isFree,
    take(key, most, signal) {
      if (isFree(key, most)) return Promise.resolve(occupy(key));
      return new Promise((resolve, reject) => {
        const waiter: Waiter = {
          key,
          most,
          go() {
            signal.removeEventListener('abort', giveUp);
            resolve(occupy(key));
            wakeNext();
          },
        };
        const giveUp = () => {
          waiting.splice(waiting.indexOf(waiter), 1);
          reject(new HubError('unavailable', 'The run was stopped before it began.'));
        };
        waiting.push(waiter);
        signal.addEventListener('abort', giveUp, { once: true });
      });
    },
    count(key, perMinute) {
      if (perMinute === 0 || begun.take(key, perMinute)) return;
      throw new HubError('limited', `${key} may be started ${perMinute} times per minute.`, {
        limit: perMinute,
        hint: 'Wait a moment; limits.rate in config.yaml sets the limit.',
      });
    },
  };
}
