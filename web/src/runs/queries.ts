import { useMutation, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useHub } from '../frame/hub.ts';

/** Shapes of `/v1/biam`: a run as the hub answers it. */
export type Run = Readonly<{
  task_id: string;
  status: 'pending' | 'active' | 'done' | 'failed' | 'cancelled' | 'expired';
  reason?: string;
  instance: string;
  family: string;
  agent: string;
  cwd: string;
  created_at: string;
  started_at?: string;
  closed_at?: string;
  last_message?: string;
  board_task?: string;
  worktree?: { path: string; branch: string; base: string };
  error?: { class: string; text: string; stderr?: string };
  cost_usd?: number;
}>;

export type RunDetail = Readonly<{ task: Run; result: string | null; prompt: string }>;

const path = (id: string, rest = '') => `/v1/biam/tasks/${encodeURIComponent(id)}${rest}`;

export function useRuns() {
  const { data: hub } = useHub();
  const isThere = hub?.rooms.includes('dispatch') === true && hub.isSignedIn;
  return useQuery({
    queryKey: ['runs'],
    enabled: isThere,
    retry: false,
    queryFn: () => call<{ tasks: Run[] }>('/v1/biam/tasks?limit=200'),
  });
}

export function useRun(id: string) {
  return useQuery({ queryKey: ['run', id], retry: false, queryFn: () => call<RunDetail>(path(id)) });
}

export function useRunAction(id: string) {
  return useMutation({
    mutationFn: ({ what, body }: { what: 'cancel' | 'reply'; body?: object }) =>
      call(path(id, `/${what}`), { method: 'POST', ...(body && { body }) }),
    onSettled: () =>
      Promise.all([['runs'], ['run', id]].map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  });
}
