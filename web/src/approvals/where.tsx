import type { ReactNode } from 'react';
import { Foreign } from '../parts/foreign.tsx';

type Placed = Readonly<{ teamId: string | null; folder: string | null }>;

/** Where a call works: its project and its folder. Nothing for one that works nowhere. */
export function Where({ teamId, folder }: Placed): ReactNode {
  if (teamId === null && folder === null) return null;
  return (
    <span className="text-soft min-w-0">
      in{' '}
      {teamId !== null && (
        <>
          <Foreign text={teamId} />
          {folder !== null && ', '}
        </>
      )}
      {folder !== null && (
        <code className="font-mono text-[12px] [overflow-wrap:anywhere]">
          <Foreign text={folder} />
        </code>
      )}
    </span>
  );
}
