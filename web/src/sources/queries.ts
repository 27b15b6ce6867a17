import { useMutation, useQueries, useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import type { decidedView, pendingView } from '../../../src/features/sources/review.ts';
import type { sourceDetail, sourceView } from '../../../src/features/sources/views.ts';
import { call } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useHasRoom } from '../frame/hub.ts';

export type SourceView = z.output<typeof sourceView>;
export type SourceDetail = z.output<typeof sourceDetail>;
export type SourceTool = SourceDetail['toolList'][number];
export type Pending = z.output<typeof pendingView>;
export type Decided = z.output<typeof decidedView>;

/** `digest` stands for exactly what is shown: what has changed since is not approved with it. */
export type Review = Readonly<{ digest: string; pending: Pending[]; decided: Decided[] }>;

const path = (name: string, rest = '') => `/api/sources/${encodeURIComponent(name)}${rest}`;

export function useSources() {
  const isThere = useHasRoom('sources') === true;
  return useQuery({
    queryKey: ['sources'],
    enabled: isThere,
    queryFn: () =>
      call<{ sources: SourceView[]; refused: { name: string; problem: string }[] }>('/api/sources'),
    retry: false,
  });
}

const detailOf = (name: string) => ({
  queryKey: ['source', name],
  queryFn: () => call<{ source: SourceDetail }>(path(name)),
});

export function useSource(name: string) {
  return useQuery(detailOf(name));
}

/** Every tool of every source, each with where it comes from. */
export function useAllTools() {
  const { data } = useSources();
  return useQueries({
    queries: (data?.sources ?? []).map(({ name }) => detailOf(name)),
    combine: (answers) => ({
      found: answers.flatMap(({ data: answer }) =>
        (answer?.source.toolList ?? []).map((tool) => ({ source: answer!.source.name, tool })),
      ),
      isLooking: answers.some(({ isPending }) => isPending),
      error: answers.find(({ error }) => error)?.error,
    }),
  });
}

export function useReview(name: string) {
  return useQuery({
    queryKey: ['source', name, 'review'],
    queryFn: () => call<Review>(path(name, '/review')),
  });
}

export function useSourceAction(name: string) {
  return useMutation({
    mutationFn: ({ what, body }: { what: 'switch' | 'test'; body: object }) =>
      call(path(name, `/${what}`), { method: 'POST', body }),
    onSettled: () => refresh(name),
  });
}

type Decision = Readonly<{ what: 'approve' | 'reject'; tools?: readonly string[]; digest: string }>;

/** Decides on what was shown, and on nothing that came after: one tool, or all of a review. */
export function useDecide(name: string) {
  return useMutation({
    mutationFn: ({ what, tools, digest }: Decision) =>
      call(path(name, `/${what}`), { method: 'POST', body: { digest, ...(tools && { tools }) } }),
    onSettled: () => refresh(name),
  });
}

export function useUndo(name: string) {
  return useMutation({
    mutationFn: (tools: readonly string[]) => call(path(name, '/undo'), { method: 'POST', body: { tools } }),
    onSettled: () => refresh(name),
  });
}

function refresh(name: string): Promise<unknown> {
  return Promise.all(
    [['sources'], ['source', name]].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
  );
}
