import { useProject } from '../frame/place.ts';

/** The project that one looks at, as memory names it. */
export function useScope(): Record<string, string> {
  const project = useProject();
  return project === undefined ? {} : { scopeTeamId: project };
}
