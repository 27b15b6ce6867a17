import { useMutation, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Evidence, TaskDetail } from '../../../src/features/board/detail.ts';
import type { Status, Task } from '../../../src/features/board/task.ts';
import type { Event as HubEvent } from '../../../src/kernel/event.ts';
import { ask, call, onceKey } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useRuns, type Run } from '../runs/queries.ts';
import { isAsking, isOpen } from '../runs/state.tsx';
import { useTroubles } from '../trouble/trouble.ts';
import { showCard, refreshCards } from './cards.ts';

const path = (id: string, rest = '') => `/api/board/tasks/${encodeURIComponent(id)}${rest}`;

export function useTask(id: string) {
  return useQuery({ queryKey: ['task', id], queryFn: () => call<TaskDetail>(path(id)) });
}

export function useEvidence(id: string) {
  return useQuery({
    queryKey: ['task', id, 'evidence'],
    queryFn: () => call<{ evidence: Evidence[] }>(path(id, '/evidence')),
  });
}

export function useReservations(taskId: string) {
  return useQuery({
    queryKey: ['reservations', taskId],
    queryFn: () => ask('GET /api/reservations', { taskId }),
  });
}

/** The newest first: a long history is read from its end. */
export function useHistory(id: string, isShown: boolean) {
  return useQuery({
    queryKey: ['task', id, 'history'],
    enabled: isShown,
    queryFn: () =>
      call<{ events: Omit<HubEvent, 'subject' | 'realm' | 'hub'>[] }>(path(id, '/history?limit=200')),
  });
}

export type Draft = Readonly<{
  title: string;
  description?: string;
  priority?: number;
  teamId?: string;
  status?: Status;
}>;

export function useCreate() {
  return useMutation({
    mutationFn: (draft: Draft) =>
      call<Task>('/api/board/tasks', { method: 'POST', body: { ...draft, idempotencyKey: onceKey() } }),
    onSuccess: ({ id }) => refreshOrFetch(id),
  });
}

export type Edits = Readonly<{
  title?: string;
  description?: string | null;
  priority?: number;
  branchRef?: string | null;
}>;

export function useEdit(id: string) {
  return useMutation({
    mutationFn: (edits: Edits) =>
      call<Task>(path(id), { method: 'PATCH', body: { ...edits, idempotencyKey: onceKey() } }),
    onMutate: ({ title, priority }) =>
      showCard(id, { ...(title !== undefined && { title }), ...(priority !== undefined && { priority }) }),
    onError: (_error, _edits, goBack) => goBack?.(),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['task', id] }),
  });
}

export type Move = Readonly<{ id: string; to: Status; override?: string }>;

/** Shown at once; taken back, with the hub's sentence, when it is refused. */
export function useMove() {
  return useMutation({
    mutationFn: ({ id, to, override }: Move) =>
      call<Task>(path(id), {
        method: 'PATCH',
        body: {
          status: to,
          idempotencyKey: onceKey(),
          ...(override !== undefined && { override: { reason: override } }),
        },
      }),
    onMutate: ({ id, to }) => showCard(id, { status: to }),
    onError: (_error, _move, goBack) => goBack?.(),
    onSettled: (_task, _error, { id }) => refreshCards([id]),
  });
}

export function useAssign() {
  return useMutation({
    mutationFn: ({ id, agent }: { id: string; agent: string }) =>
      call<Task>(path(id, '/assign'), {
        method: 'POST',
        body: { assigneeAgentId: agent, idempotencyKey: onceKey() },
      }),
    onMutate: ({ id, agent }) =>
      showCard(id, { status: 'in_progress', assigneeAgentId: agent, awaited: true }),
    onError: (_error, _given, goBack) => goBack?.(),
    onSettled: (_task, _error, { id }) => refreshCards([id]),
  });
}

export function useRelease() {
  return useMutation({
    mutationFn: (id: string) =>
      call<Task>(path(id, '/release'), { method: 'POST', body: { idempotencyKey: onceKey() } }),
    onSettled: (_task, _error, id) => refreshCards([id]),
  });
}

export function useDrop() {
  return useMutation({
    mutationFn: (id: string) =>
      call<Task>(path(id), { method: 'DELETE', body: { idempotencyKey: onceKey() } }),
    onSettled: (_task, _error, id) => refreshCards([id]),
  });
}

/** Out of sight, or back into it. */
export function useShelve() {
  return useMutation({
    mutationFn: ({ id, archived }: { id: string; archived: boolean }) =>
      call(path(id, '/archived'), { method: 'PUT', body: { archived, idempotencyKey: onceKey() } }),
    onSettled: (_task, _error, { id }) => refreshCards([id]),
  });
}

export function useReopen() {
  return useMutation({
    mutationFn: (id: string) =>
      call<Task>(path(id, '/reopened'), { method: 'PUT', body: { idempotencyKey: onceKey() } }),
    onSettled: (_task, _error, id) => refreshCards([id]),
  });
}

export function useRelabel(id: string) {
  return useMutation({
    mutationFn: (change: Readonly<{ add?: string[]; remove?: string[] }>) =>
      call(path(id, '/labels'), { method: 'PATCH', body: { ...change, idempotencyKey: onceKey() } }),
    onSettled: () => refreshCards([id]),
  });
}

export type RunMark = 'runs' | 'asks' | 'failed' | 'lost';

/** Tasks that a run is at, with whether it waits for somebody; else how the last one ended, if it ended badly. */
export function useRunning(): ReadonlyMap<string, RunMark> {
  const { data } = useRuns();
  const troubles = useTroubles();
  return useMemo(() => {
    const marks = new Map<string, RunMark>();
    // Whoever may not see runs hears of their ends alone.
    if (!data)
      for (const { task, kind } of troubles.toReversed())
        if (task !== undefined && kind !== 'refused') marks.set(task, kind);
    const newestLast = (data?.tasks ?? []).toSorted(
      (a, b) => Number(isOpen(a)) - Number(isOpen(b)) || Date.parse(a.created_at) - Date.parse(b.created_at),
    );
    for (const run of newestLast) {
      if (run.board_task === undefined) continue;
      const mark = markOf(run);
      if (mark) marks.set(run.board_task, mark);
      else marks.delete(run.board_task);
    }
    return marks;
  }, [data, troubles]);
}

function markOf(run: Run): RunMark | undefined {
  if (isOpen(run)) return isAsking(run) ? 'asks' : 'runs';
  return run.status === 'failed' ? 'failed' : run.status === 'expired' ? 'lost' : undefined;
}

/** Tasks at which a call was kept from running, with how many calls. */
export function useRefusals(): ReadonlyMap<string, number> {
  const troubles = useTroubles();
  return useMemo(() => {
    const counts = new Map<string, number>();
    for (const { kind, task, times } of troubles)
      if (kind === 'refused' && task !== undefined) counts.set(task, (counts.get(task) ?? 0) + times);
    return counts;
  }, [troubles]);
}

export function useComment(id: string) {
  return useMutation({
    mutationFn: (body: string) =>
      call(path(id, '/comments'), { method: 'POST', body: { body, idempotencyKey: onceKey() } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['task', id] }),
  });
}

export function useAddCheck(id: string) {
  return useMutation({
    mutationFn: (title: string) =>
      call(path(id, '/checks'), { method: 'POST', body: { title, idempotencyKey: onceKey() } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['task', id] }),
  });
}

export function useLink(id: string) {
  return useMutation({
    mutationFn: ({ on, isOff }: { on: string; isOff?: boolean }) =>
      isOff
        ? call(path(id, `/dependencies/${encodeURIComponent(on)}`), {
            method: 'DELETE',
            body: { idempotencyKey: onceKey() },
          })
        : call(path(id, '/dependencies'), {
            method: 'POST',
            body: { dependsOnTaskId: on, idempotencyKey: onceKey() },
          }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['task', id] }),
  });
}

async function refreshOrFetch(id: string): Promise<void> {
  await refreshCards([id]);
}
