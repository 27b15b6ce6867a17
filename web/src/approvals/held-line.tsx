import { useEffect, useRef, type ReactNode } from 'react';
import { useKeys } from '../frame/keys.ts';
import { useSetPlace } from '../frame/place.ts';
import { Refused } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { forgetError, rest, send, sendAllNow, takeBack, useHeld, type Held } from './held.ts';
import { gist } from './request.ts';
import { DECIDED } from './words.ts';

/** What was decided and can still be taken back: below every view, wherever it was decided. */
export function HeldLines(): ReactNode {
  const { held, error, isResting } = useHeld();
  const box = useRef<HTMLDivElement>(null);
  const waiting = held.filter(({ goesAt }) => goesAt !== undefined);
  const setPlace = useSetPlace();
  const undo = (id?: number) => {
    const back = takeBack(id)?.approval;
    if (back && location.pathname === '/approvals') setPlace({ at: back.id });
  };
  useKeys(
    'What you decided',
    { u: { does: 'Undo, while it has not gone out', run: () => undo() } },
    held.length > 0,
  );
  // What had the focus may be gone with its line, without a word.
  useEffect(() => {
    if (!box.current?.contains(document.activeElement)) rest(false);
  });
  return (
    <div
      ref={box}
      aria-live="polite"
      className="max-h-[40vh] shrink-0 overflow-y-auto"
      onFocus={({ target }) => rest(target.matches(':focus-visible'))}
      onBlur={({ currentTarget, relatedTarget }) => !currentTarget.contains(relatedTarget) && rest(false)}
    >
      <Refused error={error} onClose={forgetError} />
      {waiting.length > 1 && (
        <div className="row border-line border-t px-4 py-1">
          <span className="flex-1">
            {waiting.length} decisions {isResting ? 'wait while you are here' : 'go out in a moment'}
          </span>
          <button className="quiet max-sm:min-h-11" onClick={() => void sendAllNow()}>
            Send all now
          </button>
        </div>
      )}
      {held.map((each) => (
        <Line key={each.id} held={each} isResting={isResting} onBack={() => undo(each.id)} />
      ))}
    </div>
  );
}

type LineProps = Readonly<{ held: Held; isResting: boolean; onBack(): void }>;

function Line({ held: { id, decision, approval, goesAt }, isResting, onBack }: LineProps): ReactNode {
  return (
    <div className="row border-line relative border-t px-4 py-1">
      {goesAt !== undefined && (
        <span
          className={`held-drain bg-kelp absolute top-0 left-0 h-[3px] w-full ${isResting ? '[animation-play-state:paused]' : ''}`}
          aria-hidden="true"
        />
      )}
      <span className="min-w-0 flex-1 truncate">
        <span className="font-medium">{DECIDED[decision.decision]}</span>{' '}
        <code className="text-soft font-mono text-[12px]">
          <Foreign text={gist(approval)} />
        </code>
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
          <span className="text-meta text-faint sr-only shrink-0 sm:not-sr-only">
            {isResting ? 'waits while you are here' : 'goes out in a moment'}
          </span>
          <button className="button max-sm:min-h-11" onClick={onBack}>
            Undo
            <span className="sr-only">
              {approval.agentId ?? approval.principal}, {gist(approval)}
            </span>{' '}
            <kbd className="key" aria-hidden="true">
              u
            </kbd>
          </button>
          <button className="quiet max-sm:min-h-11" onClick={() => void send(id)}>
            Send now
          </button>
        </>
      )}
    </div>
  );
}
