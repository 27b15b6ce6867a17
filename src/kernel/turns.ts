// Work that must not meet itself: one after the other, in the order in which it was asked for. What fails takes nobody's turn away.

export interface Turns {
  /** Begins when all that was asked for before it is over. */
  take<T>(work: () => T | Promise<T>): Promise<T>;
  /** All that was asked for until now is over. */
  settled(): Promise<unknown>;
}

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return {
    take(work) {
      const mine = last.then(work);
      last = mine.catch(() => undefined);
      return mine;
    },
    settled: () => last,
  };
}

/** Turns for each of any number of keys; one for which nothing is left to do is forgotten. */
export function createKeyedTurns(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const turns = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const mine = (turns.get(key) ?? Promise.resolve()).then(work);
    const settled = mine
      .catch(() => undefined)
      .finally(() => void (turns.get(key) === settled && turns.delete(key)));
    turns.set(key, settled);
    return mine;
  };
}
