import type { KeyboardEvent } from 'react';
import { isSendKey } from './send-key.ts';

/** In a field of a form: Ctrl or Command with Enter sends the form, Escape leaves the field and nothing else. */
export function sendOrLeave(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (isSendKey(event)) event.currentTarget.form?.requestSubmit();
  if (event.key !== 'Escape') return;
  event.stopPropagation();
  event.currentTarget.blur();
}
