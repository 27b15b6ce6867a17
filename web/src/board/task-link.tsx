import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useView } from '../frame/place.ts';
import type { Search } from '../router.tsx';

/** A task within words: it opens beside what one reads, and breaks where a sentence does, which no button does. */
export function TaskLink({ id, children }: Readonly<{ id: string; children: ReactNode }>): ReactNode {
  return useView()?.to === '/board' ? (
    <Link
      to="/board/$taskId"
      params={{ taskId: id }}
      search={(before: Search) => ({ ...before, task: undefined })}
      className="in-words"
    >
      {children}
    </Link>
  ) : (
    <Link to="." search={(before: Search) => ({ ...before, task: id })} className="in-words">
      {children}
    </Link>
  );
}
