import { useRef } from 'react';
import { onceKey } from './call.ts';

type Keyed<Said> = Said & Readonly<{ idempotencyKey: string }>;

/**
 * What is sent with a key that makes it take effect once: said again in the same words because no answer came, it goes out as it
 * went before, so that the hub knows it. `sent` is for when an answer came: the same words are another thing then.
 */
export function useOnce<Said extends object>() {
  const last = useRef<Readonly<{ words: string; said: Keyed<Said> }>>(undefined);
  return {
    /** `words`: what makes it the same, where something beside it may have moved between two tries. */
    of(said: Said, words: object = said): Keyed<Said> {
      const these = JSON.stringify(words);
      if (last.current?.words === these) return last.current.said;
      const keyed = { ...said, idempotencyKey: onceKey() };
      last.current = { words: these, said: keyed };
      return keyed;
    },
    sent(): void {
      last.current = undefined;
    },
  };
}
