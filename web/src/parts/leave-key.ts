import type { KeyboardEvent } from 'react';

/** Escape leaves what one is in, and nothing that lies around it. */
export function onEscape(leave: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    leave();
  };
}
