import type { ReactNode } from 'react';
import { useNow } from './clock.ts';
import { Icon } from './icons.tsx';

const DAY_MS = 86_400_000;

/** A day: named while it is near, amber once it has passed. */
export function Due({ day, isOver = false }: Readonly<{ day: string; isOver?: boolean }>): ReactNode {
  const today = new Date(useNow());
  const midnight = Date.UTC(today.getFullYear(), today.getMonth(), today.getDate());
  const at = Date.parse(`${day}T00:00:00Z`);
  const days = Math.round((at - midnight) / DAY_MS);
  const isLate = days < 0 && !isOver;
  const name = new Date(at).toLocaleDateString(undefined, {
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
    ...(new Date(at).getUTCFullYear() !== today.getFullYear() && { year: 'numeric' }),
  });
  return (
    <span
      className={`inline-flex shrink-0 items-center gap-1 whitespace-nowrap ${isLate ? 'text-amber' : days <= 1 && !isOver ? 'text-ink' : ''}`}
      title={`Due ${day}${isLate ? `, ${-days} ${days === -1 ? 'day' : 'days'} ago` : ''}`}
    >
      <Icon name="due" size={11} />
      {days === 0 ? 'today' : days === 1 ? 'tomorrow' : days === -1 ? 'yesterday' : name}
    </span>
  );
}
