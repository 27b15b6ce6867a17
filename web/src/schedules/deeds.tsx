import { useState, type ReactNode } from 'react';
import { Refused } from '../parts/empty.tsx';
import { useDeed, useRemove, type Schedule } from './queries.ts';

/** What is done with one schedule. What fired goes with it, so removing is asked twice. */
export function Deeds({
  schedule: { id, paused },
  onRemoved,
}: Readonly<{ schedule: Schedule; onRemoved?(): void }>): ReactNode {
  const deed = useDeed(id);
  const remove = useRemove(id);
  const [isSure, setSure] = useState(false);
  return (
    <>
      {isSure ? (
        <>
          <button
            className="button"
            disabled={remove.isPending}
            onClick={() => remove.mutate(undefined, onRemoved && { onSuccess: onRemoved })}
          >
            Remove it, and what it noted
          </button>
          <button className="button" onClick={() => setSure(false)}>
            Cancel
          </button>
        </>
      ) : (
        <>
          <button className="button" disabled={deed.isPending} onClick={() => deed.mutate('run')}>
            Run now
          </button>
          <button
            className="button"
            disabled={deed.isPending}
            onClick={() => deed.mutate(paused ? 'resume' : 'pause')}
          >
            {paused ? 'Resume' : 'Pause'}
          </button>
          <button className="button" onClick={() => setSure(true)}>
            Remove
          </button>
        </>
      )}
      <Refused error={deed.error ?? remove.error} />
    </>
  );
}
