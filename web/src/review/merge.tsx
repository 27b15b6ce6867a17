import { useState, type ReactNode } from 'react';
import { count } from '../parts/count.ts';
import { Refused } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { useMerge } from '../runs/queries.ts';
import type { News } from './news.tsx';
import type { Review } from './queries.ts';
import { onEscape } from '../parts/leave-key.ts';

type MergeProps = Readonly<{ review: Review; into: string; news: News }>;

/** Where nothing lands the branch of a run goes into what is checked out: the commit that is shown, and once more asked. */
export function Merge({ review, into, news }: MergeProps): ReactNode {
  const [isAsking, setAsking] = useState(false);
  const merge = useMerge(review.run!);
  const { branch, commits, plan, uncommitted } = review;
  const head = commits[0]?.id;
  if (head === undefined) return null;
  const does = `Merge ${count(commits.length, 'commit')} into ${into}`;
  return (
    <>
      <button className="button" aria-expanded={isAsking} onClick={() => setAsking(true)}>
        <Foreign text={`Merge into ${into}…`} />
      </button>
      {merge.data && (
        <span role="status" className={merge.data.merged ? 'text-kelp' : 'text-amber'}>
          {merge.data.merged ? (
            <Foreign text={`merged into ${merge.data.into}`} />
          ) : (
            <Foreign text={`conflicts in ${merge.data.conflicts.join(', ')}; nothing was changed`} />
          )}
        </span>
      )}
      {isAsking && (
        <form
          aria-label={`Merge into ${into}`}
          className="border-line bg-raised arrives flex w-full basis-full flex-col gap-2 rounded-one border p-3"
          onSubmit={(event) => (
            event.preventDefault(),
            merge.mutate({ head, into }, { onSuccess: () => setAsking(false) })
          )}
          onKeyDown={onEscape(() => setAsking(false))}
        >
          <p className="text-soft">
            <Foreign
              text={`${branch} at ${head.slice(0, 12)} goes into ${into}, and the files of its checkout with it. No check runs before, and the task stays as it is.`}
            />
          </p>
          {plan.conflicts.length > 0 && (
            <p className="text-amber">
              It does not go together with <Foreign text={into} /> as it is: nothing will be changed.
            </p>
          )}
          {uncommitted && (
            <p className="text-amber">
              Its folder holds what is not committed: commit or drop it there first.
            </p>
          )}
          {news.isNews && (
            <p className="text-amber">
              It has changed since you began to read: say first that you have seen it.
            </p>
          )}
          <Refused error={merge.error} />
          <div className="flex flex-wrap items-center justify-end gap-2">
            {/* A key that is held down does not go on to the other one. */}
            <button autoFocus type="button" className="button" onClick={() => setAsking(false)}>
              Cancel
            </button>
            <button
              className="button button-main whitespace-normal!"
              disabled={merge.isPending || uncommitted || news.isNews}
            >
              <Foreign text={does} />
            </button>
          </div>
        </form>
      )}
    </>
  );
}
