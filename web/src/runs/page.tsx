import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Refusal } from '../api/call.ts';
import { useCards } from '../board/cards.ts';
import { useHub } from '../frame/hub.ts';
import { useKeys } from '../frame/keys.ts';
import { Agent } from '../parts/agent.tsx';
import { Empty, Skeleton, Unavailable } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { PageHead } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { RunDrawer } from './drawer.tsx';
import { useRuns, type Run } from './queries.ts';
import { isAsking, isOpen, RunState } from './state.tsx';

const SIGN_IN = new Refusal(401, {});

export function RunsPage(): ReactNode {
  const { data: hub } = useHub();
  const { runId } = useParams({ strict: false });
  const navigate = useNavigate();
  const { data, error } = useRuns();
  const runs = inOrder(data?.tasks ?? []);
  const step = (by: number) => () => {
    const at = runs.findIndex((run) => run.task_id === runId);
    const next = runs[Math.max(0, Math.min(runs.length - 1, at + by))];
    if (next) void navigate({ to: '/runs/$runId', params: { runId: next.task_id } });
  };
  useKeys('Runs', {
    j: { does: 'Next run', run: step(1) },
    k: { does: 'Run before', run: step(-1) },
    ']': { does: 'Next run', run: step(1) },
    '[': { does: 'Run before', run: step(-1) },
  });
  const nothing = (
    <Empty isPage title="No run yet" command={'holdfast send claude "Fix the login redirect"'}>
      A run is an agent that the hub started: its output, its cost and its end are kept, and every process of
      it dies with it. Open a task of the board to have it done by one, or:
    </Empty>
  );
  if (!hub) return <Skeleton />;
  if (!hub.rooms.includes('dispatch')) return nothing;
  if (!hub.isSignedIn || error)
    return (
      <Unavailable error={error ?? SIGN_IN} what="Runs">
        {nothing}
      </Unavailable>
    );
  if (!data) return <Skeleton />;
  return (
    <div className="flex min-h-0 flex-1">
      {runs.length === 0 ? (
        nothing
      ) : (
        <div className="min-w-0 flex-1 overflow-y-auto">
          <PageHead title="Runs">Agents that the hub started, newest first.</PageHead>
          <ul className="border-line border-t">
            {runs.map((run) => (
              <Row key={run.task_id} run={run} isChosen={run.task_id === runId} />
            ))}
          </ul>
        </div>
      )}
      {runId !== undefined && (
        <RunDrawer key={runId} id={runId} onClose={() => void navigate({ to: '/runs' })} />
      )}
    </div>
  );
}

/** What waits for somebody first, then what runs, then the rest as it came. */
function inOrder(runs: readonly Run[]): readonly Run[] {
  const rank = (run: Run) => (isAsking(run) ? 0 : isOpen(run) ? 1 : 2);
  return runs.toSorted((a, b) => rank(a) - rank(b) || Date.parse(b.created_at) - Date.parse(a.created_at));
}

function Row({ run, isChosen }: Readonly<{ run: Run; isChosen: boolean }>): ReactNode {
  const { data: cards } = useCards();
  const task = run.board_task === undefined ? undefined : cards?.get(run.board_task)?.title;
  return (
    <li className="border-line border-b">
      <Link
        to="/runs/$runId"
        params={{ runId: run.task_id }}
        className={`hover:bg-sunken grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-1.5 sm:grid-cols-[8rem_minmax(8rem,13rem)_minmax(0,1fr)_auto] ${isChosen ? 'bg-sunken' : ''}`}
      >
        <RunState run={run} />
        <span className="order-2 col-span-2 min-w-0 sm:order-none sm:col-span-1">
          <Agent name={run.agent} />
        </span>
        <span className="text-soft order-3 col-span-2 flex min-w-0 items-center gap-2 sm:order-none sm:col-span-1">
          {task !== undefined && (
            <span className="text-ink flex min-w-0 shrink-0 items-center gap-1 sm:max-w-[50%]">
              <Icon name="board" size={12} className="text-faint" />
              <span className="truncate">
                <Foreign text={task} />
              </span>
            </span>
          )}
          <span className="truncate">
            <Foreign text={run.error?.text ?? run.last_message ?? ''} />
          </span>
        </span>
        <span className="text-meta text-faint order-1 flex items-center gap-3 justify-self-end sm:order-none">
          {run.cost_usd !== undefined && `$${run.cost_usd.toFixed(2)}`}
          <Moment at={run.created_at} />
        </span>
      </Link>
    </li>
  );
}
