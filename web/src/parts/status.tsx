import type { ReactNode } from 'react';
import type { Status } from '../../../src/features/board/task.ts';

export const STATUSES = [
  'backlog',
  'todo',
  'in_progress',
  'in_review',
  'blocked',
  'done',
  'cancelled',
] as const satisfies readonly Status[];

export const STATUS_WORDS: Readonly<Record<Status, string>> = {
  backlog: 'Backlog',
  todo: 'To do',
  in_progress: 'In progress',
  in_review: 'In review',
  blocked: 'Blocked',
  done: 'Done',
  cancelled: 'Cancelled',
};

const COLOURS: Readonly<Record<Status, string>> = {
  backlog: 'text-faint',
  todo: 'text-soft',
  in_progress: 'text-tide',
  in_review: 'text-coral',
  blocked: 'text-amber',
  done: 'text-kelp',
  cancelled: 'text-faint',
};

const SHAPES: Readonly<Record<Status, ReactNode>> = {
  backlog: <circle cx="7" cy="7" r="5" strokeDasharray="2 2.200" />,
  todo: <circle cx="7" cy="7" r="5" />,
  in_progress: (
    <>
      <circle cx="7" cy="7" r="5" />
      <path d="M7 4.200a2.800 2.800 0 0 1 0 5.600z" fill="currentColor" stroke="none" />
    </>
  ),
  in_review: (
    <>
      <circle cx="7" cy="7" r="5" />
      <circle cx="7" cy="7" r="2" fill="currentColor" stroke="none" />
    </>
  ),
  blocked: (
    <>
      <circle cx="7" cy="7" r="5" />
      <path d="M4.700 7h4.600" />
    </>
  ),
  done: (
    <>
      <circle cx="7" cy="7" r="5.600" fill="currentColor" stroke="none" />
      <path d="M4.600 7.200 6.300 8.900 9.500 5.500" stroke="var(--ground)" />
    </>
  ),
  cancelled: (
    <>
      <circle cx="7" cy="7" r="5" />
      <path d="M5.200 5.200l3.600 3.600M8.800 5.200 5.200 8.800" />
    </>
  ),
};

export function StatusMark({ status, size = 14 }: Readonly<{ status: Status; size?: number }>): ReactNode {
  return (
    <svg
      viewBox="0 0 14 14"
      width={size}
      height={size}
      className={`shrink-0 ${COLOURS[status]}`}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.400"
      strokeLinecap="round"
      role="img"
      aria-label={STATUS_WORDS[status]}
    >
      {SHAPES[status]}
    </svg>
  );
}
