import type { ReactNode } from 'react';
import { Foreign } from '../parts/foreign.tsx';
import { time } from '../pulse/say.ts';
import type { Run } from './queries.ts';

type Attempt = NonNullable<Run['attempts']>[number];

const ENDS: Readonly<Record<string, string>> = {
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
  parked: 'waited for its quota',
  handed_over: 'handed over',
  lost: 'lost',
};

export const endText = ({ end, ended_at: ended }: Attempt): string =>
  end === undefined ? (ended === undefined ? 'under way' : 'over') : (ENDS[end] ?? end);

/** Who tried it, one by one, where more than one did. */
export function Attempts({ run }: Readonly<{ run: Run }>): ReactNode {
  const { attempts = [] } = run;
  if (attempts.length < 2) return null;
  return (
    <ol aria-label="Attempts" className="text-meta text-soft flex flex-col gap-0.5">
      {attempts.map((attempt) => (
        <li key={attempt.n} className="flex flex-wrap gap-x-2">
          <span className="text-ink font-medium">Attempt {attempt.n}</span>
          <span>
            on <Foreign text={attempt.runner} />
          </span>
          <span className={attempt.end === 'lost' || attempt.end === 'failed' ? 'text-amber' : ''}>
            {endText(attempt)}
          </span>
          {attempt.ended_at !== undefined && (
            <span>{time(Date.parse(attempt.ended_at) - Date.parse(attempt.started_at))}</span>
          )}
        </li>
      ))}
    </ol>
  );
}
