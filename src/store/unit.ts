import { AsyncLocalStorage } from 'node:async_hooks';
import { HubError } from '../kernel/errors.ts';

/**
 * A unit is the function given to `read` or `write`. It may await nothing but its own
 * statements: a unit that waits for a timer or a socket would hold the transaction open,
 * and one that awaits another write would wait for itself. Both are refused, not hung.
 */
const current = new AsyncLocalStorage<'read' | 'write'>();

export function refuseNesting(wanted: 'read' | 'write'): void {
  const outer = current.getStore();
  if (outer === undefined) return;
  throw new HubError(
    'internal',
    `A ${wanted} cannot start inside a ${outer} unit; pass the unit's tx to the service instead.`,
  );
}

export function enterUnit<T>(kind: 'read' | 'write', unit: () => Promise<T>): Promise<T> {
  return current.run(kind, async () => unit());
}

/** Work started by a unit's owner that must not count as part of the unit (feeds, timers). */
export function leaveUnit<T>(work: () => T): T {
  return current.exit(work);
}

function foreignWait(): HubError {
  return new HubError(
    'internal',
    'A unit awaited something other than its own statements; it was rolled back.',
  );
}

/** A unit that catches a failed statement outside `attempt` would go on from a state nobody knows. */
export function hiddenFailure(): HubError {
  return new HubError('internal', 'A unit hid a failed statement; it was rolled back.');
}

/**
 * Watches one unit for foreign waits. Our statements settle in microtasks (SQLite) or keep
 * `busy` above zero (PostgreSQL), so a unit that is still pending when the event loop comes
 * round with nothing of ours under way is waiting for somebody else.
 */
export class ForeignWatch {
  readonly caught: Promise<never>;
  #reject!: (error: HubError) => void;
  #busy = 0;
  #immediate: NodeJS.Immediate | undefined;
  #over = false;

  constructor() {
    this.caught = new Promise((_, reject) => (this.#reject = reject));
    this.caught.catch(() => undefined);
    this.#arm();
  }

  started(): void {
    this.#busy += 1;
  }

  settled(): void {
    this.#busy -= 1;
    if (this.#busy === 0) this.#arm();
  }

  end(): void {
    this.#over = true;
    if (this.#immediate) clearImmediate(this.#immediate);
  }

  #arm(): void {
    if (this.#over) return;
    if (this.#immediate) clearImmediate(this.#immediate);
    this.#immediate = setImmediate(() => {
      if (!this.#over && this.#busy === 0) this.#reject(foreignWait());
    });
  }
}
