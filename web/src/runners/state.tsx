import type { ReactNode } from 'react';
import type { Runner } from './queries.ts';

const COLOURS: Readonly<Record<Runner['state'], string>> = {
  ready: 'text-kelp',
  draining: 'text-soft',
  lost: 'text-amber',
};
const SIGNS: Readonly<Record<Runner['state'], string>> = {
  ready: 'bg-kelp',
  draining: 'border-edge border-2',
  lost: 'bg-amber',
};

export function RunnerState({ state }: Pick<Runner, 'state'>): ReactNode {
  return (
    <span className={`inline-flex items-center gap-1.5 ${COLOURS[state]}`}>
      <span aria-hidden="true" className={`size-2 rounded-full ${SIGNS[state]}`} />
      {state}
    </span>
  );
}

/** Each slot is a box, a busy one filled; beyond a dozen the number says it alone. */
export function Slots({ runner: { busy, slots } }: Readonly<{ runner: Runner }>): ReactNode {
  return (
    <span className="inline-flex items-center gap-2">
      {slots <= MOST && (
        <span aria-hidden="true" className="inline-flex gap-0.5">
          {Array.from({ length: slots }, (_, at) => (
            <span
              key={at}
              className={`h-3 w-2 rounded-[2px] ${at < busy ? 'bg-kelp' : 'border-edge border'}`}
            />
          ))}
        </span>
      )}
      <span>
        {busy} of {slots} busy
      </span>
    </span>
  );
}
const MOST = 12;
