import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Tiding } from '../../../src/features/memory/fact.ts';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';

const KEY = ['memory', 'refuted'];

/** The hub tells each once: what it told stays here until it is put away, also where an answer came too late to be shown. */
const told = new Map<string, Tiding>();

async function hear(): Promise<readonly Tiding[]> {
  const { refuted } = await ask('GET /api/memory/refuted');
  for (const tiding of refuted) told.set(tiding.id, tiding);
  return [...told.values()];
}

function putAway(id: string): void {
  told.delete(id);
  queryClient.setQueryData(KEY, [...told.values()]);
}

/** What this person was given and does not hold, whatever is being looked for. */
export function Refuted(): ReactNode {
  const { data = [] } = useQuery({ queryKey: KEY, queryFn: hear });
  if (data.length === 0) return null;
  return (
    <ul aria-label="Refuted" className="bg-amber-wash mx-4 mb-2 flex flex-col gap-1 rounded-one px-3 py-1.5">
      {data.map(({ id, text }) => (
        <li key={id} className="flex items-start gap-2">
          <p className="min-w-0 flex-1 break-words">
            <Foreign text={text} />
          </p>
          <button className="quiet -my-0.5 shrink-0" onClick={() => putAway(id)} aria-label="Put away">
            <Icon name="close" size={14} />
          </button>
        </li>
      ))}
    </ul>
  );
}
