import type { ReactNode } from 'react';
import type { SourceView } from './queries.ts';

type State = SourceView['state'];

const COLOURS: Readonly<Record<State, string>> = {
  ready: 'text-kelp',
  starting: 'text-soft',
  failing: 'text-amber',
  stopped: 'text-faint',
  quarantined: 'text-coral',
};

const SHAPES: Readonly<Record<State, ReactNode>> = {
  ready: <circle cx="5" cy="5" r="4" fill="currentColor" />,
  starting: <circle cx="5" cy="5" r="3.500" fill="none" stroke="currentColor" strokeDasharray="2 1.600" />,
  failing: <path d="M5 1a4 4 0 0 1 0 8zM5 1.500a3.500 3.500 0 1 0 0 7" fill="currentColor" />,
  stopped: <circle cx="5" cy="5" r="3.500" fill="none" stroke="currentColor" strokeWidth="1.400" />,
  quarantined: <path d="M5 .8 9.200 5 5 9.200.8 5z" fill="currentColor" />,
};

/** How a source is: a shape and a word. */
export function StateWord({ state }: Readonly<{ state: State }>): ReactNode {
  return (
    <span className={`inline-flex items-center gap-1.5 ${COLOURS[state]}`}>
      <svg viewBox="0 0 10 10" width="9" height="9" className="shrink-0" aria-hidden="true">
        {SHAPES[state]}
      </svg>
      {state}
    </span>
  );
}
