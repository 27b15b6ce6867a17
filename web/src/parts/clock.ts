import { useEffect, useState, useSyncExternalStore } from 'react';

/** One clock for the whole page: everything relative moves together, four times a minute, and not while nobody looks. */
const STEP_MS = 15_000;
const watchers = new Set<() => void>();
let now = Date.now();

setInterval(() => {
  if (!document.hidden) tick();
}, STEP_MS);
document.addEventListener('visibilitychange', () => !document.hidden && tick());

function tick(): void {
  now = Date.now();
  for (const changed of watchers) changed();
}

/** For what runs out before one's eyes: a clock that counts seconds while it is looked at, and only where it is. */
export function useSeconds(): number {
  const [at, setAt] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && setAt(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return at;
}

export function useNow(): number {
  return useSyncExternalStore(
    (changed) => {
      watchers.add(changed);
      return () => watchers.delete(changed);
    },
    () => now,
  );
}
