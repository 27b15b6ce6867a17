import type { ReactNode } from 'react';
import { ApprovalCard } from './card.tsx';
import { useApproval } from './queries.ts';

/** How people and agents write of a request: by its id, or the eight characters it ends in. */
const MENTION =
  /\bapproval\s+`?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{8})\b/gi;
const MOST = 3;

/** The requests that a post names, as they are now. A name that means nothing is only a word. */
export function Mentioned({ text }: Readonly<{ text: string }>): ReactNode {
  const named = [...text.matchAll(MENTION)].map(([, id]) => id!.toLowerCase());
  const ids = [...new Map(named.map((id) => [id.slice(-8), id])).values()].slice(0, MOST);
  if (ids.length === 0) return null;
  return (
    <div className="mt-1 flex flex-col gap-1">
      {ids.map((id) => (
        <Known key={id} id={id} />
      ))}
    </div>
  );
}

function Known({ id }: Readonly<{ id: string }>): ReactNode {
  return useApproval(id).data ? <ApprovalCard id={id} /> : null;
}
