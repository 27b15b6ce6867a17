import { useNavigate, useParams, useRouterState, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Search } from '../router.tsx';
import { viewAt, type View } from './views.ts';

/** Where one is: all of it stands in the address. */
export function usePlace(): Search {
  return useSearch({ strict: false });
}

export function useProject(): string | undefined {
  return usePlace().project;
}

/** Changes part of the address and stays on the view. */
export function useSetPlace(): (
  change: Partial<Record<keyof Search, string | undefined>>,
  isStep?: boolean,
) => void {
  const navigate = useNavigate();
  return useCallback(
    (change, isStep = false) =>
      void navigate({ to: '.', search: (before: Search) => ({ ...before, ...change }), replace: !isStep }),
    [navigate],
  );
}

/** The task that lies open, and how to open another one or none, on whatever view one is. */
export function useOpenTask(): readonly [string | undefined, (id: string | undefined) => void] {
  const { taskId } = useParams({ strict: false });
  const { task } = usePlace();
  const navigate = useNavigate();
  const isOnBoard = location.pathname.startsWith('/board');
  const open = useCallback(
    (id: string | undefined) => {
      if (!location.pathname.startsWith('/board')) {
        void navigate({ to: '.', search: (before: Search) => ({ ...before, task: id }) });
      } else if (id === undefined) {
        void navigate({ to: '/board', search: (before: Search) => ({ ...before, task: undefined }) });
      } else {
        void navigate({
          to: '/board/$taskId',
          params: { taskId: id },
          search: (before: Search) => ({ ...before, task: undefined }),
        });
      }
    },
    [navigate],
  );
  return [isOnBoard ? taskId : task, open];
}

export function useView(): View | undefined {
  return viewAt(useRouterState({ select: ({ location }) => location.pathname }));
}

/** Another view keeps the project one looks at, and nothing else. */
export const afresh = ({ project }: Search): Search => (project === undefined ? {} : { project });
