import type { ReactNode } from 'react';
import { Empty } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Moment, span } from '../parts/time.tsx';
import { Unready } from '../parts/unready.tsx';
import { usePatrols, type PatrolRun } from './queries.ts';

/** What each patrol did: scenes become memories, memories find their clusters, some fade, some come back. */
export function Patrols({ id }: Readonly<{ id: string }>): ReactNode {
  const { data, error } = usePatrols(id);
  if (!data) return <Unready error={error} />;
  if (data.runs.length === 0)
    return (
      <Empty title="No patrol yet">
        A patrol tidies what it lived through: scenes become memories, and what is never called back fades.
      </Empty>
    );
  return (
    <div className="min-h-0 flex-1 overflow-y-auto" tabIndex={0} aria-label="Patrols">
      <ol className="border-line border-t">
        {data.runs.map((run) => (
          <li key={run.id} className="border-line border-b">
            <details>
              <summary className="row px-4">
                <span className={run.state === 'done' ? 'text-kelp' : 'text-amber'}>{run.state}</span>
                <span className="text-soft truncate">{sumOf(run)}</span>
                <span className="text-meta text-faint ml-auto shrink-0">
                  {run.endedAt !== null && `${span(run.endedAt - run.startedAt)}, `}
                  <Moment at={run.startedAt} />
                </span>
              </summary>
              <ol className="px-4 pb-2">
                {run.steps.map(({ step, outcome, ...details }, at) => (
                  <li key={at} className="row min-h-6">
                    <span className="w-32 shrink-0">{step}</span>
                    <span className={outcome === 'done' ? 'text-kelp' : 'text-soft'}>{outcome}</span>
                    <code className="text-meta text-faint truncate font-mono">
                      <Foreign text={Object.keys(details).length > 0 ? JSON.stringify(details) : ''} />
                    </code>
                  </li>
                ))}
              </ol>
            </details>
          </li>
        ))}
      </ol>
    </div>
  );
}

function sumOf({ stats }: PatrolRun): string {
  const counts = Object.entries(stats).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] > 0,
  );
  return counts.length === 0
    ? 'nothing to do'
    : counts.map(([name, value]) => `${value} ${name.replaceAll('_', ' ')}`).join(', ');
}
