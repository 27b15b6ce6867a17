import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Refusal } from '../api/call.ts';
import { useCards } from '../board/cards.ts';
import { useHub } from '../frame/hub.ts';
import { useProject } from '../frame/place.ts';
import { useLandings } from '../landing/queries.ts';
import { Agent } from '../parts/agent.tsx';
import { Skeleton, Unavailable } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { PageHead } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { Nothing, ReviewOf } from './one.tsx';

const SIGN_IN = new Refusal(401, {});

export function ReviewPage(): ReactNode {
  const { data: hub } = useHub();
  const { reviewId } = useParams({ strict: false });
  if (!hub) return <Skeleton />;
  if (!hub.isSignedIn)
    return (
      <Unavailable error={SIGN_IN} what="Reviews">
        <Nothing />
      </Unavailable>
    );
  return reviewId === undefined ? <Waiting /> : <One key={reviewId} id={reviewId} />;
}

function One({ id }: Readonly<{ id: string }>): ReactNode {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-4 py-4" tabIndex={0}>
      <ReviewOf id={id} />
    </div>
  );
}

/** What is handed in and waits for somebody to look at it. */
function Waiting(): ReactNode {
  const project = useProject();
  const { data: cards } = useCards();
  const { data: landed } = useLandings();
  if (!cards) return <Skeleton />;
  const asked = new Set(
    (landed?.landings ?? []).filter(({ state }) => state === 'waiting_person').map(({ task }) => task),
  );
  const found = [...cards.values()]
    .filter(({ id, status }) => status === 'in_review' || asked.has(id))
    .filter(({ teamId }) => project === undefined || teamId === project)
    .sort((a, b) => a.updatedAt - b.updatedAt);
  if (found.length === 0) return <Nothing />;
  return (
    <>
      <PageHead title="Review">What agents handed in, the longest waiting first.</PageHead>
      <ul className="border-line border-t">
        {found.map((card) => (
          <li key={card.id} className="border-line border-b">
            <Link
              to="/review/$reviewId"
              params={{ reviewId: card.id }}
              className="hover:bg-sunken row flex-wrap px-4 py-1"
            >
              <span className="min-w-0 flex-1 truncate font-medium">
                <Foreign text={card.title} />
              </span>
              {card.assigneeAgentId !== null && <Agent name={card.assigneeAgentId} />}
              <Moment at={card.updatedAt} />
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
