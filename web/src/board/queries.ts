import { useMutation, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Api } from '../../../src/features/api.ts';
import type { Status } from '../../../src/features/board/task.ts';
import { ask, askAsOne, askUntil, onceKey } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useOnce } from '../api/once.ts';
import { useRuns, type Run } from '../runs/queries.ts';
import { isAsking, isOpen } from '../runs/state.tsx';
import { useTroubles } from '../trouble/trouble.ts';
import { showCard, refreshCards, type Card } from './cards.ts';

export function useTask(id: string) {
  return useQuery({
    queryKey: ['task', id],
    queryFn: () => ask('GET /api/board/tasks/:taskId', { taskId: id }),
  });
}

/** As many as a person looks through. */
const MOST_FOUND = 500;

/** Which tasks a query finds by what no card shows: words of comments, checks and evidence. Undefined until it is known. */
export function useFound(q: string, isAsked: boolean): ReadonlySet<string> | undefined {
  const { data } = useQuery({
    queryKey: ['cards', 'found', q],
    enabled: isAsked,
    gcTime: 30_000,
    queryFn: ({ signal }) => askUntil(signal)('GET /api/board/tasks', { q: q.trim(), limit: MOST_FOUND }),
  });
  return useMemo(() => data && new Set(data.tasks.map(({ id }) => id)), [data]);
}

export function useEvidence(id: string) {
  return useQuery({
    queryKey: ['task', id, 'evidence'],
    queryFn: () => ask('GET /api/board/tasks/:taskId/evidence', { taskId: id }),
  });
}

export function usePull(taskId: string, isAsked: boolean) {
  return useQuery({
    queryKey: ['task', taskId, 'pull'],
    enabled: isAsked,
    queryFn: () => ask('GET /api/pulls', { taskId }),
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
    queryFn: () => ask('GET /api/board/tasks/:taskId/history', { taskId: id, limit: 200 }),
  });
}

export type Draft = Api['POST /api/board/tasks']['given'];

export function useCreate() {
  return useMutation({
    mutationFn: (draft: Draft) => ask('POST /api/board/tasks', { ...draft, idempotencyKey: onceKey() }),
    onSuccess: ({ id }) => refreshOrFetch(id),
  });
}

export type Edits = Omit<Api['PATCH /api/board/tasks/:taskId']['given'], 'taskId'>;

export function useEdit(id: string) {
  return useMutation({
    mutationFn: (edits: Edits) =>
      ask('PATCH /api/board/tasks/:taskId', { ...edits, taskId: id, idempotencyKey: onceKey() }),
    onMutate: ({ title, priority }) =>
      showCard(id, { ...(title !== undefined && { title }), ...(priority !== undefined && { priority }) }),
    onError: (_error, _edits, goBack) => goBack?.(),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['task', id] }),
  });
}

/** `command`: what is moved with others in one go. */
export type Move = Readonly<{ id: string; to: Status; override?: string; command?: string }>;

/** Shown at once; taken back, with the hub's sentence, when it is refused. */
export function useMove() {
  return useMutation({
    mutationFn: ({ id, to, override, command }: Move) =>
      askAsOne(command)('PATCH /api/board/tasks/:taskId', {
        taskId: id,
        status: to,
        idempotencyKey: onceKey(),
        ...(override !== undefined && { override: { reason: override } }),
      }),
    onMutate: ({ id, to }) => showCard(id, { status: to }),
    onError: (_error, _move, goBack) => goBack?.(),
    onSettled: (_task, _error, { id }) => refreshCards([id]),
  });
}

/** Between two others of its column. Where it will stand is guessed until the hub has said it. */
export type Placing = Readonly<{ id: string; after?: Card | undefined; before?: Card | undefined }>;

export function usePutBetween() {
  return useMutation({
    mutationFn: ({ id, after, before }: Placing) =>
      ask('PUT /api/board/tasks/:taskId/place', {
        taskId: id,
        idempotencyKey: onceKey(),
        ...(after && { after: after.id }),
        ...(before && { before: before.id }),
      }),
    onMutate: ({ id, after, before }) =>
      showCard(id, { place: after ? `${after.place}O` : (before?.place.slice(0, -1) ?? '') }),
    onError: (_error, _placing, goBack) => goBack?.(),
    onSettled: (_task, _error, { id }) => refreshCards([id]),
  });
}

export function useViews() {
  return useQuery({ queryKey: ['views'], queryFn: () => ask('GET /api/board/views') });
}

export function useSaveView() {
  return useMutation({
    mutationFn: (view: Readonly<{ name: string; search: string }>) =>
      ask('PUT /api/board/views/:name', { ...view, idempotencyKey: onceKey() }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['views'] }),
  });
}

export function useForgetView() {
  return useMutation({
    mutationFn: (name: string) => ask('DELETE /api/board/views/:name', { name, idempotencyKey: onceKey() }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['views'] }),
  });
}

/** A person says that it is done, also when nobody has begun it. */
export function useFinish() {
  return useMutation({
    mutationFn: ({ id, override }: Readonly<{ id: string; override?: string }>) =>
      ask('PUT /api/board/tasks/:taskId/finished', {
        taskId: id,
        idempotencyKey: onceKey(),
        ...(override !== undefined && { override: { reason: override } }),
      }),
    onSettled: (_task, _error, { id }) => refreshCards([id]),
  });
}

export function useAssign() {
  return useMutation({
    mutationFn: ({ id, agent }: { id: string; agent: string }) =>
      ask('POST /api/board/tasks/:taskId/assign', {
        taskId: id,
        assigneeAgentId: agent,
        idempotencyKey: onceKey(),
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
      ask('POST /api/board/tasks/:taskId/release', { taskId: id, idempotencyKey: onceKey() }),
    onSettled: (_task, _error, id) => refreshCards([id]),
  });
}

export function useDrop() {
  return useMutation({
    mutationFn: (id: string) =>
      ask('DELETE /api/board/tasks/:taskId', { taskId: id, idempotencyKey: onceKey() }),
    onSettled: (_task, _error, id) => refreshCards([id]),
  });
}

/** Out of sight, or back into it. */
export function useShelve() {
  return useMutation({
    mutationFn: ({ id, archived }: { id: string; archived: boolean }) =>
      ask('PUT /api/board/tasks/:taskId/archived', { taskId: id, archived, idempotencyKey: onceKey() }),
    onSettled: (_task, _error, { id }) => refreshCards([id]),
  });
}

export function useReopen() {
  return useMutation({
    mutationFn: (id: string) =>
      ask('PUT /api/board/tasks/:taskId/reopened', { taskId: id, idempotencyKey: onceKey() }),
    onSettled: (_task, _error, id) => refreshCards([id]),
  });
}

export function useRelabel(id: string) {
  return useMutation({
    mutationFn: (change: Readonly<{ add?: string[]; remove?: string[] }>) =>
      ask('PATCH /api/board/tasks/:taskId/labels', { ...change, taskId: id, idempotencyKey: onceKey() }),
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
  const once = useOnce<Readonly<{ body: string }>>();
  return useMutation({
    mutationFn: (body: string) =>
      ask('POST /api/board/tasks/:taskId/comments', { taskId: id, ...once.of({ body }) }),
    onSuccess: () => (once.sent(), queryClient.invalidateQueries({ queryKey: ['task', id] })),
  });
}

export function useAddCheck(id: string) {
  return useMutation({
    mutationFn: (title: string) =>
      ask('POST /api/board/tasks/:taskId/checks', { taskId: id, title, idempotencyKey: onceKey() }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['task', id] }),
  });
}

export function useLink(id: string) {
  return useMutation({
    mutationFn: ({ on, isOff }: { on: string; isOff?: boolean }) =>
      ask(
        isOff
          ? 'DELETE /api/board/tasks/:taskId/dependencies/:dependsOnTaskId'
          : 'POST /api/board/tasks/:taskId/dependencies',
        { taskId: id, dependsOnTaskId: on, idempotencyKey: onceKey() },
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['task', id] }),
  });
}

async function refreshOrFetch(id: string): Promise<void> {
  await refreshCards([id]);
}
