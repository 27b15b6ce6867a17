import { useMutation, useQuery } from '@tanstack/react-query';
import type { PresentedRun } from '../../../src/features/dispatch/run.ts';
import type { Api } from '../../../src/features/api.ts';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useHub } from '../frame/hub.ts';

/** A run as the hub answers it. */
export type Run = PresentedRun;
export type RunDetail = Api['GET /v1/biam/tasks/:taskId']['answer'];

/** Runs are shown to who has signed in, where the hub has them at all. */
export function useMayRun(): boolean {
  const { data: hub } = useHub();
  return hub?.rooms.includes('dispatch') === true && hub.isSignedIn;
}

export function useRuns() {
  return useQuery({
    queryKey: ['runs'],
    enabled: useMayRun(),
    retry: false,
    queryFn: () => ask('GET /v1/biam/tasks', { limit: 200 }),
  });
}

export function useRunsOf(boardTask: string) {
  return useQuery({
    queryKey: ['runs', boardTask],
    enabled: useMayRun(),
    retry: false,
    queryFn: () => ask('GET /v1/biam/tasks', { board_task: boardTask, limit: 50 }),
  });
}

export function useRun(id: string) {
  return useQuery({
    queryKey: ['run', id],
    retry: false,
    queryFn: () => ask('GET /v1/biam/tasks/:taskId', { taskId: id }),
  });
}

/** Who can be called, and why others cannot. What is installed changes outside the hub, so it is asked each time. */
export function useCallable(isShown: boolean) {
  return useQuery({
    queryKey: ['callable'],
    enabled: isShown,
    staleTime: 0,
    queryFn: () => ask('GET /v1/agents'),
  });
}

export type Start = Readonly<{ task_id: string; instance: string; project?: string }>;

export function useStart() {
  return useMutation({
    mutationFn: (body: Start) => ask('POST /v1/runs', body),
    onSettled: refresh,
  });
}

export function useCancel(id: string) {
  return useMutation({
    mutationFn: () => ask('POST /v1/biam/tasks/:taskId/cancel', { taskId: id }),
    onSettled: refresh,
  });
}

export function useReply(id: string) {
  return useMutation({
    mutationFn: (body: string) =>
      ask('POST /v1/biam/tasks/:taskId/reply', { taskId: id, kind: 'progress', body }),
    onSettled: refresh,
  });
}

/** The same session of the agent again, as a run of its own; what it was done with is not done any more. */
export function useResume(id: string) {
  return useMutation({
    mutationFn: (prompt: string) =>
      ask('POST /v1/biam/tasks/:taskId/resume', { taskId: id, ...(prompt !== '' && { prompt }) }),
    onSettled: refresh,
  });
}

export function useMerge(id: string) {
  return useMutation({
    mutationFn: () => ask('POST /v1/biam/tasks/:taskId/merge', { taskId: id }),
    onSettled: refresh,
  });
}

function refresh(): Promise<unknown> {
  return Promise.all([['runs'], ['run']].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}
