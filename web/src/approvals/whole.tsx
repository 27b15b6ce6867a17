import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Foreign } from '../parts/foreign.tsx';
import { useSeen } from '../parts/seen.ts';
import { useSettled } from '../parts/settled.ts';
import { Arguments } from './arguments.tsx';
import type { Approval } from './decision.ts';
import { hold } from './held.ts';
import { useApprovals } from './queries.ts';
import { gist, isShort, type Room } from './request.ts';
import { TouchedLine } from './touches.tsx';

type Whole = Readonly<{
  /** Every argument, or the beginning of it and that it is longer. */
  shown: ReactNode;
  /** Allows it at once where all of it is on screen; elsewhere it leads to where it can be read. */
  allow: ReactNode;
}>;

/** A request beside other things. Nobody allows with one click what they have not had before their eyes. */
export function useWhole(approval: Approval, room: Room): Whole {
  const [box, isSeen] = useSeen<HTMLDivElement>(approval.id);
  const { data } = useApprovals();
  // Any that comes or goes may move the others.
  const isSettled = useSettled(`${approval.id} ${data?.approvals.map(({ id }) => id).join() ?? ''}`);
  const { id } = approval;
  if (!isShort(approval, room))
    return {
      shown: (
        <p className="text-soft min-w-0 [overflow-wrap:anywhere]">
          <code className="font-mono text-[12px]">
            <Foreign text={gist(approval).slice(0, 200)} />
          </code>{' '}
          … is longer than fits here: read all of it before you allow it.
        </p>
      ),
      allow: (
        <Link to="/approvals" search={{ at: id }} className="button button-main">
          Read all of it
        </Link>
      ),
    };
  return {
    shown: (
      <div ref={box} className="min-w-0">
        <Arguments approval={approval} />
        <TouchedLine id={id} />
      </div>
    ),
    allow: (
      <button
        type="button"
        className="button button-main"
        disabled={!isSeen || !isSettled}
        title={isSeen ? undefined : 'Once all of it is on screen'}
        onClick={() => hold({ ids: [id], decision: 'allow_once' }, [approval])}
      >
        Allow once
      </button>
    ),
  };
}
