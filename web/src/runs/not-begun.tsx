import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask } from '../api/call.ts';
import { Foreign } from '../parts/foreign.tsx';
import type { Run } from './queries.ts';

/** What machines have and whether they live is their beat, not an event: it is asked after while somebody looks. */
const BEAT_MS = 5_000;

/** Why it has not begun: where it waits, and what each machine lacks. */
export function NotBegun({ run }: Readonly<{ run: Run }>): ReactNode {
  const { data } = useQuery({
    queryKey: ['run', run.task_id, 'why'],
    enabled: run.status === 'pending',
    refetchInterval: BEAT_MS,
    queryFn: () => ask('GET /v1/biam/tasks/:taskId/why', { taskId: run.task_id }),
  });
  if (run.status !== 'pending' || !data || data.reasons.length === 0) return null;
  return (
    <section aria-label="Why it has not begun" className="bg-sunken rounded-one px-3 py-2">
      <h3 className="section-title mb-0.5">Why it has not begun</h3>
      <ul>
        {data.reasons.map((reason) => (
          <li key={reason} className="break-words">
            <Foreign text={reason} />
          </li>
        ))}
      </ul>
    </section>
  );
}
