import { useMutation, useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import type { agentSchema } from '../../../src/features/dispatch/agents/view.ts';
import type { PresentedRun } from '../../../src/features/dispatch/run.ts';
import { call, query } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useHub } from '../frame/hub.ts';

/** A run as the hub answers it. */
export type Run = PresentedRun;
export type CallableAgent = z.output<typeof agentSchema>;
export type RunDetail = Readonly<{ task: Run; result: string | null; prompt: string }>;
export type RunDiff = Readonly<{ branch: string; stat: string; diff: string }>;

const path = (id: string, rest = '') => `/v1/biam/tasks/${encodeURIComponent(id)}${rest}`;

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
    queryFn: () => call<{ tasks: Run[] }>('/v1/biam/tasks?limit=200'),
  });
}

export function useRunsOf(boardTask: string) {
  return useQuery({
    queryKey: ['runs', boardTask],
    enabled: useMayRun(),
    retry: false,
    queryFn: () => call<{ tasks: Run[] }>(`/v1/biam/tasks${query({ board_task: boardTask, limit: 50 })}`),
  });
}

export function useRun(id: string) {
  return useQuery({ queryKey: ['run', id], retry: false, queryFn: () => call<RunDetail>(path(id)) });
}

export function useRunDiff(id: string) {
  return useQuery({
    queryKey: ['run', id, 'diff'],
    retry: false,
    queryFn: () => call<RunDiff>(path(id, '/diff')),
  });
}

/** Who can be called, and why others cannot. What is installed changes outside the hub, so it is asked each time. */
export function useCallable(isShown: boolean) {
  return useQuery({
    queryKey: ['callable'],
    enabled: isShown,
    staleTime: 0,
    queryFn: () => call<{ agents: CallableAgent[] }>('/v1/agents'),
  });
}

export type Start = Readonly<{ task_id: string; instance: string; project?: string }>;

export function useStart() {
  return useMutation({
    mutationFn: (body: Start) => call<{ started: boolean; task?: Run }>('/v1/runs', { method: 'POST', body }),
    onSettled: refresh,
  });
}

export function useCancel(id: string) {
  return useMutation({
    mutationFn: () => call<Run>(path(id, '/cancel'), { method: 'POST' }),
    onSettled: refresh,
  });
}

export function useReply(id: string) {
  return useMutation({
    mutationFn: (body: string) =>
      call<Run>(path(id, '/reply'), { method: 'POST', body: { kind: 'progress', body } }),
    onSettled: refresh,
  });
}

/** The same session of the agent again, as a run of its own; what it was done with is not done any more. */
export function useResume(id: string) {
  return useMutation({
    mutationFn: (prompt: string) =>
      call<Run>(path(id, '/resume'), { method: 'POST', body: prompt === '' ? {} : { prompt } }),
    onSettled: refresh,
  });
}

export type Merged = Readonly<{ branch: string; merged: boolean; into: string; conflicts: string[] }>;

export function useMerge(id: string) {
  return useMutation({
    mutationFn: () => call<Merged>(path(id, '/merge'), { method: 'POST' }),
    onSettled: refresh,
  });
}

function refresh(): Promise<unknown> {
  return Promise.all([['runs'], ['run']].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}
