import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { Refusal } from '../api/call.ts';
import { useCards } from '../board/cards.ts';
import { useHub } from '../frame/hub.ts';
import { useKeys } from '../frame/keys.ts';
import { useProject } from '../frame/place.ts';
import { useLandings } from '../landing/queries.ts';
import { Agent } from '../parts/agent.tsx';
import { Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Table, View, ViewClosed, ViewUnready } from '../parts/page.tsx';
import { Project } from '../parts/project.tsx';
import { Moment } from '../parts/time.tsx';
import { Nothing, ReviewOf } from './one.tsx';
import { isOf } from '../frame/of-project.ts';

const SIGN_IN = new Refusal(401, {});

export function ReviewPage(): ReactNode {
  const { data: hub } = useHub();
  const { reviewId } = useParams({ strict: false });
  if (!hub) return <ViewUnready />;
  if (!hub.isSignedIn)
    return (
      <ViewClosed error={SIGN_IN} what="Reviews">
        <Nothing />
      </ViewClosed>
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

const COLUMNS = [
  ['Task', 'minmax(0, 1fr)'],
  ['By', 'minmax(7rem, 12rem)'],
  ['Project', 'minmax(5rem, 10rem)'],
  ['Branch', 'minmax(6rem, 14rem)'],
  ['Checks', '5rem'],
  ['Waits since', '6rem'],
] as const;

/** What is handed in and waits for somebody to look at it. */
function Waiting(): ReactNode {
  const project = useProject();
  const navigate = useNavigate();
  const { data: cards } = useCards();
  const { data: landed } = useLandings();
  const [at, setAt] = useState(0);
  const asked = new Set(
    (landed?.landings ?? []).filter(({ state }) => state === 'waiting_person').map(({ task }) => task),
  );
  const found = [...(cards?.values() ?? [])]
    .filter(({ id, status }) => status === 'in_review' || asked.has(id))
    .filter(({ teamId }) => isOf(project, teamId))
    .sort((a, b) => a.updatedAt - b.updatedAt);
  const chosen = Math.min(at, found.length - 1);
  const open = (id: string) => void navigate({ to: '/review/$reviewId', params: { reviewId: id } });
  useKeys('Review', {
    j: { does: 'Next', run: () => setAt(Math.min(chosen + 1, found.length - 1)) },
    k: { does: 'The one before', run: () => setAt(Math.max(0, chosen - 1)) },
    o: { does: 'Open', run: () => found[chosen] && open(found[chosen].id) },
  });
  return (
    <View title="Review" about="What agents handed in, the longest waiting first.">
      {!cards ? (
        <Skeleton />
      ) : found.length === 0 ? (
        <Nothing />
      ) : (
        <Table label="Waits for a review" columns={COLUMNS}>
          {found.map((card, row) => (
            <li key={card.id}>
              <Link
                to="/review/$reviewId"
                params={{ reviewId: card.id }}
                className={`cells hover:bg-sunken ${row === chosen ? 'bg-chosen' : ''}`}
              >
                <span className="truncate font-medium" title={card.title}>
                  <Foreign text={card.title} />
                </span>
                <span>{card.assigneeAgentId !== null && <Agent name={card.assigneeAgentId} />}</span>
                <span className="text-meta text-soft">
                  {card.teamId !== null && <Project id={card.teamId} />}
                </span>
                <span className="text-meta text-soft truncate font-mono">{card.branchRef ?? ''}</span>
                <span className="text-meta text-soft">
                  {card.checks && `${card.checks.satisfied} of ${card.checks.total}`}
                </span>
                <Moment at={card.updatedAt} />
              </Link>
            </li>
          ))}
        </Table>
      )}
    </View>
  );
}
