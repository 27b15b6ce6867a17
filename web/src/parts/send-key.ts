import type { KeyboardEvent } from 'react';

/** The key that sends what stands in a field of many lines, pressed once: a hand that rests on it sends nothing twice. */
export function isSendKey({ key, metaKey, ctrlKey, repeat }: KeyboardEvent): boolean {
  return key === 'Enter' && (metaKey || ctrlKey) && !repeat;
}
