import { useState, type ReactNode } from 'react';
import { Diff } from '../parts/diff.tsx';
import { Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { useConflicts, type Conflict, type Review } from './queries.ts';

/** Where the branch and its target do not go together: what each of them did to the file, side by side. */
export function Conflicts({ review }: Readonly<{ review: Review }>): ReactNode {
  const { conflicts, target, merges } = review.plan;
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useConflicts(review, isOpen);
  if (conflicts.length === 0) return null;
  return (
    <details
      className="bg-amber-wash rounded-one group/conflicts"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="flex flex-wrap items-center gap-2 px-3 py-1.5">
        <Icon name="collision" size={13} className="text-amber" />
        <span className="font-medium">
          Does not go together with {target ?? merges}:{' '}
          {conflicts.length === 1 ? '1 file' : `${conflicts.length} files`}
        </span>
        <span className="text-soft min-w-0 truncate font-mono text-[12px]">
          <Foreign text={conflicts.slice(0, 3).join(', ')} />
        </span>
        <Icon name="right" size={11} className="ml-auto group-open/conflicts:rotate-90" />
      </summary>
      <div className="bg-ground border-line flex flex-col gap-4 rounded-b-one border p-3">
        <Refused error={error} />
        {isOpen && !data && !error && <Skeleton rows={3} />}
        {data?.conflicts.map((conflict) => (
          <Sides key={conflict.path} conflict={conflict} review={review} />
        ))}
      </div>
    </details>
  );
}

function Sides({ conflict, review }: Readonly<{ conflict: Conflict; review: Review }>): ReactNode {
  const { path, base, ours, theirs } = conflict;
  const side = (name: string, text: string | null) => (
    <div className="min-w-0">
      <p className="text-meta text-soft mb-1">{name}</p>
      {text === null ? (
        <p className="text-soft">Not there, or no text.</p>
      ) : (
        <Diff
          before={(base ?? '').replace(/\n$/, '')}
          after={text.replace(/\n$/, '')}
          label={`${path} on ${name}`}
        />
      )}
    </div>
  );
  return (
    <section aria-label={`Conflict in ${path}`}>
      <h2 className="mb-1 font-mono text-[12px] break-all">
        <Foreign text={path} />
      </h2>
      <div className="grid gap-3 lg:grid-cols-2">
        {side(review.plan.target ?? review.plan.merges ?? 'the target', ours)}
        {side(review.branch, theirs)}
      </div>
    </section>
  );
}
