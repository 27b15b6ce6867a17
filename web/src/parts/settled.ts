import { useEffect, useState } from 'react';

/** As long as a hand is on its way to what was there a moment ago. */
const SETTLE_MS = 400;

/**
 * Whether something has stood there for a moment. A request that comes, or moves up, under a hand that is about to press is
 * not what that hand means. Who has asked for it (`isAskedFor`, where it is first shown) knows what comes.
 */
export function useSettled(of: string, isAskedFor = false): boolean {
  const [settled, setSettled] = useState(isAskedFor ? of : undefined);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(of), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [of]);
  return settled === of;
}
