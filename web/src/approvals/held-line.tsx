import type { ReactNode } from 'react';
import { useKeys } from '../frame/keys.ts';
import { useSetPlace } from '../frame/place.ts';
import { Refused } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { forgetError, send, takeBack, useHeld, type Held } from './held.ts';
import { gist } from './request.ts';
import { DECIDED } from './words.ts';

/** What was decided and can still be taken back: below every view, wherever it was decided. */
export function HeldLines(): ReactNode {
  const { held, error } = useHeld();
  const setPlace = useSetPlace();
  const undo = (id?: number) => {
    const back = takeBack(id)?.approvals[0];
    if (back && location.pathname === '/approvals') setPlace({ at: back.id });
  };
  useKeys(
    'What you decided',
    { u: { does: 'Undo, while it has not gone out', run: () => undo() } },
    held.length > 0,
  );
  return (
    <div aria-live="polite" className="shrink-0">
      <Refused error={error} onClose={forgetError} />
      {held.map((each) => (
        <Line key={each.id} held={each} onBack={() => undo(each.id)} />
      ))}
    </div>
  );
}

function Line({
  held: { id, decision, approvals, goesAt },
  onBack,
}: Readonly<{ held: Held; onBack(): void }>): ReactNode {
  const [first] = approvals;
  return (
    <div className="row border-line border-t px-4 py-1">
      <span className="min-w-0 flex-1 truncate">
        <span className="font-medium">{DECIDED[decision.decision]}</span>{' '}
        {approvals.length === 1 && first ? (
          <code className="text-soft font-mono text-[12px]">
            <Foreign text={gist(first)} />
          </code>
        ) : (
          `${approvals.length} requests`
        )}
        {decision.note !== undefined && (
          <span className="text-soft">
            , saying <Foreign text={decision.note} />
          </span>
        )}
      </span>
      {goesAt === undefined ? (
        <span className="text-meta text-faint">on its way</span>
      ) : (
        <>
          <span className="text-meta text-faint sr-only shrink-0 sm:not-sr-only">goes out in a moment</span>
          <button className="button" onClick={onBack}>
            Undo <kbd className="key hidden sm:inline">u</kbd>
          </button>
          <button className="quiet" onClick={() => void send(id)}>
            Send now
          </button>
        </>
      )}
    </div>
  );
}
