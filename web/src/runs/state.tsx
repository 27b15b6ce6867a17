import type { ReactNode } from 'react';
import type { Run } from './queries.ts';

const WORDS: Readonly<Record<Run['status'], readonly [string, string]>> = {
  pending: ['waits its turn', 'text-soft'],
  active: ['runs', 'text-tide'],
  done: ['done', 'text-kelp'],
  failed: ['failed', 'text-amber'],
  cancelled: ['cancelled', 'text-faint'],
  expired: ['was lost', 'text-amber'],
};

export function isOpen({ status }: Pick<Run, 'status'>): boolean {
  return status === 'pending' || status === 'active';
}

/** It has asked something, and goes on when somebody has answered. */
export function isAsking(run: Pick<Run, 'status' | 'reason'>): boolean {
  return isOpen(run) && (run.reason === 'waiting_approval' || run.reason === 'waiting_input');
}

export function RunState({ run, className = '' }: Readonly<{ run: Run; className?: string }>): ReactNode {
  const [word, colour] = WORDS[run.status];
  const isStopping = isOpen(run) && run.reason === 'cancelling';
  return (
    <span
      className={`inline-flex shrink-0 items-center gap-1.5 align-middle ${isAsking(run) ? 'text-coral' : colour} ${className}`}
    >
      <Shape run={run} />
      {isAsking(run) ? 'waits for you' : isStopping ? 'is stopping' : (waitsText(run) ?? word)}
    </span>
  );
}

/** It goes on by itself, at this time of the clock, or on that day. */
function waitsText({ wait_until: until }: Run): string | undefined {
  if (until === undefined) return undefined;
  const at = new Date(until);
  const isToday = at.toDateString() === new Date().toDateString();
  const day = isToday ? {} : ({ month: 'short', day: 'numeric' } as const);
  const text = at.toLocaleString(undefined, { ...day, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return `waits for quota until ${text}`;
}

/** The shape says it without the colour: a frond that grows, a tick, a cross, a hand. */
function Shape({ run }: Readonly<{ run: Run }>): ReactNode {
  return (
    <svg
      viewBox="0 0 14 14"
      width="14"
      height="14"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="shrink-0"
    >
      {isAsking(run) ? (
        <path d="M7 2.2v5.6M7 11.2v.1" />
      ) : run.wait_until !== undefined ? (
        <path d="M7 3.4V7l2.4 1.6M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10Z" />
      ) : run.status === 'active' ? (
        <path d="M4.4 2.8 11 7l-6.6 4.2z" />
      ) : run.status === 'done' ? (
        <path d="M3 7.4 5.8 10 11 4.2" />
      ) : run.status === 'pending' ? (
        <circle cx="7" cy="7" r="4.6" strokeDasharray="2 2.2" />
      ) : (
        <path d="M4 4l6 6M10 4l-6 6" />
      )}
    </svg>
  );
}
