import { useMutation, useQuery } from '@tanstack/react-query';
import type { Api } from '../../../src/features/api.ts';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useIsGoing } from '../api/in-flight.ts';

export type Schedule = Api['GET /api/schedules']['answer']['schedules'][number];
export type Fire = Api['GET /api/schedules/:id']['answer']['fires'][number];

export function useSchedules() {
  return useQuery({ queryKey: ['schedules'], queryFn: () => ask('GET /api/schedules', { limit: 1000 }) });
}

const removing = (id: string) => ['remove schedule', id];

/** One of them, with what came of its last times; not asked after once it is being removed. */
export function useSchedule(id: string) {
  const isGoing = useIsGoing(removing(id));
  return useQuery({
    queryKey: ['schedules', id],
    enabled: !isGoing,
    queryFn: () => ask('GET /api/schedules/:id', { id }),
  });
}

const refresh = () => queryClient.invalidateQueries({ queryKey: ['schedules'] });

export function useAdd() {
  return useMutation({
    mutationFn: (body: Api['POST /api/schedules']['given']) => ask('POST /api/schedules', body),
    onSettled: refresh,
  });
}

export function useChange() {
  return useMutation({
    mutationFn: (body: Api['PATCH /api/schedules/:id']['given']) => ask('PATCH /api/schedules/:id', body),
    onSettled: refresh,
  });
}

type Deed = 'pause' | 'resume' | 'run';

export function useDeed(id: string) {
  return useMutation({
    mutationFn: (deed: Deed) => ask(`POST /api/schedules/:id/${deed}`, { id }),
    onSettled: refresh,
  });
}

export function useRemove(id: string) {
  return useMutation({
    mutationKey: removing(id),
    mutationFn: () => ask('DELETE /api/schedules/:id', { id }),
    // Not waited for: what shows it has to hear first that it is gone.
    onSettled: () => void refresh(),
  });
}
