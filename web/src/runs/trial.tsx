import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Api } from '../../../src/features/api.ts';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { Section } from '../parts/drawer.tsx';
import { Refused } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { span } from '../parts/time.tsx';
import { useMayRun } from './queries.ts';
import { RunState } from './state.tsx';

type Trial = Api['GET /v1/trials']['answer']['trials'][number];
type Attempt = Trial['attempts'][number];

/** Below what changes with every run, so that it is asked again when one of them moves. */
function useTrials(taskId: string) {
  return useQuery({
    queryKey: ['runs', 'trials', taskId],
    enabled: useMayRun(),
    queryFn: () => ask('GET /v1/trials', { task_id: taskId }),
  });
}

function usePick() {
  return useMutation({
    mutationFn: (runId: string) => ask('POST /v1/biam/tasks/:taskId/pick', { taskId: runId }),
    onSettled: () =>
      Promise.all([['runs'], ['task']].map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  });
}

/** Several attempts at one task, side by side: what checks say of each, what it changed, what it cost and how long it took. */
export function TaskTrials({ taskId }: Readonly<{ taskId: string }>): ReactNode {
  const { data, error } = useTrials(taskId);
  const pick = usePick();
  const [newest] = data?.trials ?? [];
  if (!newest) return null;
  const refused = error ?? pick.error;
  return (
    <Section title="Attempts">
      <p className="text-meta text-soft">{WORDS[newest.state]}</p>
      <div
        className="-mx-4 overflow-x-auto px-4"
        tabIndex={0}
        role="group"
        aria-label="Attempts at this task"
      >
        <table className="w-full text-left tabular-nums">
          <thead className="text-meta text-faint">
            <tr>
              {['Attempt', 'Checks', 'Diff', 'Cost', 'Time'].map((name) => (
                <th key={name} scope="col" className="py-1 pr-3 font-normal">
                  {name}
                </th>
              ))}
              <th scope="col">
                <span className="sr-only">Pick</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {newest.attempts.map((attempt) => (
              <Row
                key={attempt.run.task_id}
                attempt={attempt}
                onPick={newest.state === 'ready' && attempt.head !== null ? pick.mutate : undefined}
                isBusy={pick.isPending}
              />
            ))}
          </tbody>
        </table>
      </div>
      <Refused error={refused} />
    </Section>
  );
}

const WORDS: Readonly<Record<Trial['state'], string>> = {
  running: 'They are still at it; one can be picked when all of them are over.',
  ready:
    'All of them are over: pick the one whose branch the task goes on with. The others are kept for a day.',
  closed: 'One was picked; the branches of the others are kept for a day.',
};

type RowProps = Readonly<{
  attempt: Attempt;
  onPick: ((runId: string) => void) | undefined;
  isBusy: boolean;
}>;

function Row({ attempt, onPick, isBusy }: RowProps): ReactNode {
  const { run, checks, diff, cost_usd: cost, ms, picked } = attempt;
  return (
    <tr className="border-line border-t align-top">
      <th scope="row" className="py-1.5 pr-3 font-normal">
        <Link
          to="/runs/$runId"
          params={{ runId: run.task_id }}
          className="flex items-center gap-2 underline-offset-2 hover:underline"
        >
          <RunState run={run} />
          <Foreign text={run.instance} />
        </Link>
      </th>
      <td className="py-1.5 pr-3">
        {checks.length === 0 ? (
          <span className="text-faint">none</span>
        ) : (
          checks.map(({ check, passed, evidence }) => (
            <span key={evidence} className={`mr-2 whitespace-nowrap ${passed ? 'text-kelp' : 'text-amber'}`}>
              <Foreign text={check} /> {passed ? 'passed' : 'failed'}
            </span>
          ))
        )}
      </td>
      <td className="py-1.5 pr-3 whitespace-nowrap">{diff === null ? NONE : changes(diff)}</td>
      <td className="py-1.5 pr-3 whitespace-nowrap">{cost === null ? NONE : `$${cost.toFixed(2)}`}</td>
      <td className="py-1.5 pr-3 whitespace-nowrap">{ms === null ? NONE : took(ms)}</td>
      <td className="py-1 text-right">
        {picked && (
          <span className="text-kelp inline-flex items-center gap-1">
            <Icon name="tick" size={12} />
            picked
          </span>
        )}
        {onPick && (
          <button className="button" disabled={isBusy} onClick={() => onPick(run.task_id)}>
            Pick<span className="sr-only"> {run.instance}</span>
          </button>
        )}
      </td>
    </tr>
  );
}

const NONE = <span className="text-faint">–</span>;

function changes({ files, insertions, deletions }: NonNullable<Attempt['diff']>): string {
  return `${files} ${files === 1 ? 'file' : 'files'} +${insertions} −${deletions}`;
}

function took(ms: number): string {
  return ms < 60_000 ? `${Math.max(1, Math.round(ms / 1_000))} s` : span(ms);
}
