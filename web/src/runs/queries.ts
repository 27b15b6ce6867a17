import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { PresentedRun } from '../../../src/features/dispatch/run.ts';
import type { Api } from '../../../src/features/api.ts';
import { ask, askAsOne, onceKey } from '../api/call.ts';
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
    queryFn: () => ask('GET /v1/biam/tasks', { limit: 200 }),
  });
}

/** What the query language finds among all runs; without a query, the newest. */
export function useFoundRuns(q: string) {
  const mayRun = useMayRun();
  const all = useRuns();
  const found = useQuery({
    queryKey: ['runs', 'found', q],
    enabled: mayRun && q !== '',
    placeholderData: keepPreviousData,
    queryFn: () => ask('GET /v1/biam/tasks', { limit: 200, q }),
  });
  return q === '' ? all : found;
}

export function useRunsOf(boardTask: string, isAsked = true) {
  return useQuery({
    queryKey: ['runs', boardTask],
    enabled: useMayRun() && isAsked,
    queryFn: () => ask('GET /v1/biam/tasks', { board_task: boardTask, limit: 50 }),
  });
}

export function useRun(id: string) {
  return useQuery({
    queryKey: ['run', id],
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

export type Start = Readonly<{
  /** Undefined: one is made of the words, their first line as its title. */
  taskId: string | undefined;
  words: string;
  teamId: string | null;
  instance: string;
  project?: string;
}>;

export function useStart() {
  // A run that was refused leaves its task behind: the next try is one at the same task.
  const made = useRef<Readonly<{ words: string; id: string }>>(undefined);
  return useMutation({
    mutationFn: async ({ taskId, words, teamId, ...rest }: Start) => {
      const asking = askAsOne();
      let id = taskId ?? (made.current?.words === words ? made.current.id : undefined);
      if (id === undefined) {
        ({ id } = await asking('POST /api/board/tasks', {
          ...taskOf(words),
          ...(teamId !== null && { teamId }),
          idempotencyKey: onceKey(),
        }));
        made.current = { words, id };
      }
      return asking('POST /v1/runs', { task_id: id, ...rest });
    },
    onSettled: refresh,
  });
}

const LONGEST_TITLE = 500;

/** The first line is its title, unless it is longer than one may be. */
function taskOf(words: string): Readonly<{ title: string; description?: string }> {
  const [title = '', ...lines] = words.trim().split('\n');
  const description = title.length > LONGEST_TITLE ? words.trim() : lines.join('\n').trim();
  return {
    title: title.slice(0, LONGEST_TITLE).toWellFormed(),
    ...(description !== '' && { description }),
  };
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
    mutationFn: (seen: Readonly<{ head: string; into: string }>) =>
      ask('POST /v1/biam/tasks/:taskId/merge', { taskId: id, ...seen }),
    onSettled: refresh,
  });
}

function refresh(): Promise<unknown> {
  return Promise.all([['runs'], ['run']].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}
