import type { ReactNode } from 'react';
import { Icon, type IconName } from '../parts/icons.tsx';
import type { LandingView } from './queries.ts';

type State = LandingView['state'];

/** Coral only where a person must decide. */
const STATES: Readonly<Record<State, readonly [word: string, colour: string, icon: IconName]>> = {
  waiting_person: ['waits for you', 'text-coral', 'approvals'],
  queued: ['queued', 'text-soft', 'wait'],
  testing: ['testing', 'text-tide', 'runs'],
  held: ['held', 'text-amber', 'wait'],
  landed: ['landed', 'text-kelp', 'tick'],
  conflict: ['conflict', 'text-amber', 'collision'],
  failed: ['checks failed', 'text-amber', 'close'],
  withdrawn: ['withdrawn', 'text-faint', 'close'],
};

const OPEN: ReadonlySet<State> = new Set(['waiting_person', 'queued', 'testing', 'held']);

export function isUnderWay({ state }: LandingView): boolean {
  return OPEN.has(state);
}

export function LandingState({ state }: Pick<LandingView, 'state'>): ReactNode {
  const [word, colour, icon] = STATES[state];
  return (
    <span className={`flex shrink-0 items-center gap-1.5 ${colour}`}>
      <Icon name={icon} size={13} />
      {word}
    </span>
  );
}
