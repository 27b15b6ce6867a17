import { useProject } from '../frame/place.ts';

/** The project that one looks at, as memory names it. */
export function useScope(): Readonly<{ scopeTeamId?: string }> {
  const project = useProject();
  return project === undefined ? {} : { scopeTeamId: project };
}
