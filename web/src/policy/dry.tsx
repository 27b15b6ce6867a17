import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask } from '../api/call.ts';
import { Refused } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { SIGNS, verdict } from './queries.ts';

/** What a text would have decided otherwise, of the calls that were made lately. */
export function Dry({ text }: Readonly<{ text: string }>): ReactNode {
  const run = useMutation({
    mutationFn: () => ask('POST /api/tools/policy/dry-run', { text }),
  });
  return (
    <div aria-live="polite">
      <button className="button" onClick={() => run.mutate()} disabled={run.isPending}>
        What would it have changed?
      </button>
      <Refused error={run.error} />
      {run.data && (
        <>
          <p className="mt-2">
            {run.data.looked === 0
              ? 'There is no call yet to try it on.'
              : `Of the last ${run.data.looked} calls it would have decided ${run.data.changes.length || 'none'} otherwise.`}
          </p>
          <ul className="border-line mt-1 border-t">
            {run.data.changes.map(({ callId, toolName, agentId, was, now, reason }) => (
              <li key={callId} className="border-line border-b">
                <Link
                  to="/audit"
                  search={{ q: `call:${callId}` }}
                  className="row hover:bg-sunken flex-wrap gap-y-0 px-1"
                >
                  <span className="min-w-0 truncate">
                    <Foreign text={agentId ?? 'somebody'} />{' '}
                    <strong className="font-medium">
                      <Foreign text={toolName} />
                    </strong>
                  </span>
                  <span>
                    <span className={SIGNS[was]}>{verdict(was)}</span> →{' '}
                    <span className={`font-medium ${SIGNS[now]}`}>{verdict(now)}</span>
                  </span>
                  <span className="text-meta text-faint ml-auto truncate">
                    <Foreign text={reason} />
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
