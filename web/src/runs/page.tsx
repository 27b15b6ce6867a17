import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Refusal } from '../api/call.ts';
import { useCards } from '../board/cards.ts';
import { useHub } from '../frame/hub.ts';
import { useKeys } from '../frame/keys.ts';
import { Agent } from '../parts/agent.tsx';
import { useNow } from '../parts/clock.ts';
import { Empty, Skeleton, Unavailable } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { PageHead, Table } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { money, time } from '../pulse/say.ts';
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
          <div className="@container/list border-line border-t">
            <Table label="Runs" columns={COLUMNS}>
              {runs.map((run) => (
                <Row key={run.task_id} run={run} isChosen={run.task_id === runId} />
              ))}
            </Table>
          </div>
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

const COLUMNS = [
  ['Run', 'minmax(0, 1fr)'],
  ['Agent', 'minmax(7rem, 12rem)'],
  ['State', '7.5rem'],
  ['Took', '5.5rem'],
  ['Cost', '4rem'],
  ['Began', '6rem'],
] as const;

/** Titled by its task; what it said last, or why it failed, in a line below. */
function Row({ run, isChosen }: Readonly<{ run: Run; isChosen: boolean }>): ReactNode {
  const { data: cards } = useCards();
  const now = useNow();
  const task = run.board_task === undefined ? undefined : cards?.get(run.board_task)?.title;
  const said = run.error?.text ?? run.last_message ?? '';
  const { started_at: began, closed_at: closed } = run;
  const took =
    began === undefined ? undefined : (closed === undefined ? now : Date.parse(closed)) - Date.parse(began);
  return (
    <li>
      <Link
        to="/runs/$runId"
        params={{ runId: run.task_id }}
        className={`cells hover:bg-sunken ${isChosen ? 'bg-sunken' : ''}`}
      >
        <span>
          <span className="block truncate font-medium">
            <Foreign text={task ?? (said === '' ? run.instance : said)} />
          </span>
          {task !== undefined && said !== '' && (
            <span className={`text-meta block truncate ${run.error ? 'text-amber' : 'text-soft'}`}>
              <Foreign text={said} />
            </span>
          )}
        </span>
        <Agent name={run.agent} />
        <RunState run={run} />
        <span className="text-meta text-soft">{took === undefined || took < 0 ? '' : time(took)}</span>
        <span className="text-meta text-soft">{run.cost_usd === undefined ? '' : money(run.cost_usd)}</span>
        <Moment at={run.created_at} />
      </Link>
    </li>
  );
}
