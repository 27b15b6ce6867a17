import { useMemo } from 'react';
import { useProjects } from './queries.ts';

type Folder = Readonly<{ path: string; name: string; isOwn: boolean }>;

/** Repositories that the hub has seen somebody work in; that of the task's project first. */
export function useFolders(teamId: string | null): readonly Folder[] {
  const { data } = useProjects();
  return useMemo(
    () =>
      (data?.projects ?? [])
        .flatMap((project) =>
          (project.keys ?? [])
            .filter(({ kind }) => kind === 'git')
            .map(({ value }) => ({
              path: value.replace(/\/\.git\/?$/, ''),
              name: project.name,
              isOwn: project.teamId === teamId,
            })),
        )
        .sort((a, b) => Number(b.isOwn) - Number(a.isOwn) || a.name.localeCompare(b.name)),
    [data, teamId],
  );
}
