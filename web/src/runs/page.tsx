import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Refusal } from '../api/call.ts';
import { useCards } from '../board/cards.ts';
import type { Search } from '../router.tsx';
import { useHub } from '../frame/hub.ts';
import { useKeys } from '../frame/keys.ts';
import { usePlace, useProject, useSetPlace } from '../frame/place.ts';
import { Agent } from '../parts/agent.tsx';
import { useNow } from '../parts/clock.ts';
import { Empty, Refused, Skeleton, Unavailable } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Switch, Table, View } from '../parts/page.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { Moment } from '../parts/time.tsx';
import { money, time } from '../pulse/say.ts';
import { RunDrawer } from './drawer.tsx';
import { useFoundRuns, type Run } from './queries.ts';
import { StartRun } from './start.tsx';
import { isAsking, isOpen, RunState } from './state.tsx';
import { titleOf } from './title.ts';
import { isOf } from '../frame/of-project.ts';
import { whyFailed } from './failure.ts';

const SIGN_IN = new Refusal(401, {});
/** In the address: one is being started. */
const NEW = 'new';

export function RunsPage(): ReactNode {
  const { data: hub } = useHub();
  const { runId } = useParams({ strict: false });
  const navigate = useNavigate();
  const setPlace = useSetPlace();
  const project = useProject();
  const { runs: wanted = '', at } = usePlace();
  const { data, error } = useFoundRuns(wanted.trim());
  const { data: cards } = useCards();
  const runs = inOrder(data?.tasks ?? []).filter((run) =>
    isOf(project, run.project, cards?.get(run.board_task ?? '')?.teamId),
  );
  const search = wanted === '' ? {} : { runs: wanted };
  const narrow = (text: string) => setPlace({ runs: text === '' ? undefined : text });
  const step = (by: number) => () => {
    const at = runs.findIndex((run) => run.task_id === runId);
    const next = runs[Math.max(0, Math.min(runs.length - 1, at + by))];
    if (next) void navigate({ to: '/runs/$runId', params: { runId: next.task_id }, search });
  };
  const start = () => setPlace({ at: NEW });
  useKeys('Runs', {
    n: { does: 'Start a run', run: start },
    '/': { does: 'Filter', run: () => document.getElementById(FILTER)?.focus() },
    j: { does: 'Next run', run: step(1) },
    k: { does: 'Run before', run: step(-1) },
    ']': { does: 'Next run', run: step(1) },
    '[': { does: 'Run before', run: step(-1) },
  });
  const isStarting = at === NEW && runId === undefined;
  const begin = (
    <button className="button button-main" onClick={start}>
      <Icon name="plus" size={14} />
      Start a run
    </button>
  );
  const nothing = (
    <Empty
      title="No run yet"
      action={hub?.isSignedIn === true && !isStarting && begin}
      command={'holdfast send claude "Fix the login redirect"'}
    >
      A run is an agent that the hub started: its output, its cost and its end are kept, and every process of
      it dies with it.
    </Empty>
  );
  const isHere = hub?.rooms.includes('dispatch') === true;
  const isRefused = hub !== undefined && (!hub.isSignedIn || (Boolean(error) && wanted === ''));
  return (
    <View
      title="Runs"
      about="Agents that the hub started: who waits for you, what is under way, then the newest."
      aside={isHere && hub.isSignedIn && (data?.tasks.length !== 0 || wanted !== '') && begin}
      filter={
        isHere &&
        hub.isSignedIn && (
          <>
            <SearchField
              id={FILTER}
              label="Filter runs"
              placeholder="agent:codex  status:failed  finished<7d  words…"
              value={wanted}
              onChange={narrow}
            />
            <Switch
              label="Which"
              value={WHICH.find(([kind]) => kind === wanted)?.[0] ?? ''}
              options={WHICH}
              onChange={narrow}
            />
          </>
        )
      }
      detail={
        runId !== undefined &&
        isHere &&
        hub.isSignedIn && (
          <RunDrawer key={runId} id={runId} onClose={() => void navigate({ to: '/runs', search })} />
        )
      }
    >
      {isStarting && (
        <div className="max-w-[860px] px-4 pt-3">
          <StartRun teamId={project ?? null} onClose={() => setPlace({ at: undefined })} />
        </div>
      )}
      {!isRefused && Boolean(error) && (
        <div className="px-4 pt-2">
          <Refused error={error} />
        </div>
      )}
      {!hub ? (
        <Skeleton />
      ) : !isHere ? (
        nothing
      ) : isRefused ? (
        <Unavailable error={hub.isSignedIn ? error : SIGN_IN} what="Runs">
          {nothing}
        </Unavailable>
      ) : !data && !error ? (
        <Skeleton />
      ) : error ? null : runs.length > 0 ? (
        <Table label="Runs" columns={COLUMNS}>
          {runs.map((run) => (
            <Row key={run.task_id} run={run} isChosen={run.task_id === runId} search={search} />
          ))}
        </Table>
      ) : wanted === '' && project === undefined ? (
        nothing
      ) : (
        <p className="text-soft px-4 py-4" role="status">
          No run{project === undefined ? '' : ` of ${project}`}
          {wanted === '' ? ' yet.' : ' matches this filter.'}
        </p>
      )}
    </View>
  );
}

const FILTER = 'filter-runs';
const WHICH = [
  ['', 'All'],
  ['status:active,pending', 'Under way'],
  ['status:failed,expired', 'Failed'],
] as const;

/** What waits for somebody first, then what runs, then the rest as it came. */
function inOrder(runs: readonly Run[]): readonly Run[] {
  const rank = (run: Run) => (isAsking(run) ? 0 : isOpen(run) ? 1 : 2);
  return runs.toSorted((a, b) => rank(a) - rank(b) || Date.parse(b.created_at) - Date.parse(a.created_at));
}

const COLUMNS = [
  ['Run', 'minmax(0, 1fr)'],
  ['Agent', 'minmax(7rem, 12rem)'],
  ['State', '9rem'],
  ['Took', '5.5rem'],
  ['Cost', '4rem'],
  ['Began', '6rem'],
  ['Acts as', '9rem'],
] as const;

/** Titled by its task; what it said last, or why it failed, in a line below. */
function Row({
  run,
  isChosen,
  search,
}: Readonly<{ run: Run; isChosen: boolean; search: Search }>): ReactNode {
  const { data: cards } = useCards();
  const now = useNow();
  const title = titleOf(run, cards);
  const said = whyFailed(run) ?? run.last_message ?? '';
  const { started_at: began, closed_at: closed } = run;
  const took =
    began === undefined ? undefined : (closed === undefined ? now : Date.parse(closed)) - Date.parse(began);
  return (
    <li>
      <Link
        to="/runs/$runId"
        params={{ runId: run.task_id }}
        search={search}
        aria-current={isChosen ? 'true' : undefined}
        className={`cells hover:bg-sunken ${isChosen ? 'bg-chosen' : ''}`}
      >
        <span>
          <span className="block truncate font-medium" title={title}>
            <Foreign text={title} />
          </span>
          {said !== '' && title !== said && (
            <span className={`text-meta block truncate ${run.error ? 'text-amber' : 'text-soft'}`}>
              <Foreign text={said} />
            </span>
          )}
        </span>
        <Agent name={run.instance} />
        <span className="min-w-0">
          <RunState run={run} />
          {run.attempt > 1 && <span className="text-meta text-faint block">attempt {run.attempt}</span>}
        </span>
        <span className="text-meta text-soft">{took === undefined || took < 0 ? '' : time(took)}</span>
        <span className="text-meta text-soft">{run.cost_usd === undefined ? '' : money(run.cost_usd)}</span>
        <Moment at={run.created_at} />
        <code
          className="text-faint truncate font-mono text-[11px] @max-[739px]/list:hidden"
          title={run.task_id}
        >
          {run.agent}
        </code>
      </Link>
    </li>
  );
}
