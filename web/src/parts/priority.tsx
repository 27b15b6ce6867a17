import type { ReactNode } from 'react';

/** As people say it; any number between is possible. Higher is sooner. */
export const PRIORITIES = [
  [8, 'Urgent'],
  [5, 'High'],
  [3, 'Medium'],
  [1, 'Low'],
  [0, 'No priority'],
] as const;

export function priorityWord(priority: number): string {
  if (priority < 0) return 'Later';
  return PRIORITIES.find(([least]) => priority >= least)![1];
}

/** Three bars that fill; a full square with a stroke is urgent. */
export function PriorityBars({ priority }: Readonly<{ priority: number }>): ReactNode {
  const filled = priority >= 5 ? 3 : priority >= 3 ? 2 : priority >= 1 ? 1 : 0;
  const label = `Priority ${priority}: ${priorityWord(priority).toLowerCase()}`;
  return (
    <svg viewBox="0 0 12 12" width="12" height="12" role="img" aria-label={label} className="shrink-0">
      <title>{label}</title>
      {priority >= 8 ? (
        <>
          <rect x="0.5" y="0.5" width="11" height="11" rx="2.500" className="fill-ink" />
          <path
            d="M6 3v3.600M6 8.600v.6"
            className="stroke-ground"
            strokeWidth="1.600"
            strokeLinecap="round"
          />
        </>
      ) : (
        [0, 1, 2].map((at) => (
          <rect
            key={at}
            x={0.5 + at * 4}
            y={8 - at * 3}
            width="3"
            height={3.5 + at * 3}
            rx="1"
            className={at < filled ? 'fill-soft' : 'fill-edge'}
          />
        ))
      )}
    </svg>
  );
}
