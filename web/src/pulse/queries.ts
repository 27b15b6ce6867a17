import { useQuery } from '@tanstack/react-query';
import type { Pulse } from '../../../src/features/pulse/pulse.ts';
import { ask } from '../api/call.ts';

export type { Pulse };

/** Counted by days of this clock. Numbers need not be of this very moment: they are asked for when somebody comes. */
export function usePulse(days: number, project: string | undefined) {
  return useQuery({
    queryKey: ['pulse', days, project],
    staleTime: 60_000,
    queryFn: () =>
      ask('GET /api/pulse', {
        days,
        offset: -new Date().getTimezoneOffset(),
        ...(project !== undefined && { project }),
      }),
  });
}
