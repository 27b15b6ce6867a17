import { useMutation, useQuery } from '@tanstack/react-query';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';

export function useSchedules() {
  return useQuery({ queryKey: ['schedules'], queryFn: () => ask('GET /api/schedules', { limit: 1000 }) });
}
export type Schedule = NonNullable<ReturnType<typeof useSchedules>['data']>['schedules'][number];

const refresh = () => queryClient.invalidateQueries({ queryKey: ['schedules'] });

type NewSchedule = Readonly<{ when: string; agent: string; prompt: string; tz: string }>;

export function useAdd() {
  return useMutation({
    mutationFn: (body: NewSchedule) => ask('POST /api/schedules', body),
    onSettled: refresh,
  });
}

export type Deed = Readonly<{ id: string; verb: 'pause' | 'resume' | 'run' | 'remove' }>;

export function useDeed() {
  return useMutation({
    mutationFn: ({ id, verb }: Deed) =>
      verb === 'remove'
        ? ask('DELETE /api/schedules/:id', { id })
        : ask(`POST /api/schedules/:id/${verb}`, { id }),
    onSettled: refresh,
  });
}
