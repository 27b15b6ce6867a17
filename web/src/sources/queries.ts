import { useMutation, useQueries, useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import type { pendingView } from '../../../src/features/sources/review.ts';
import type { sourceDetail, sourceView } from '../../../src/features/sources/views.ts';
import { call } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useHasRoom } from '../frame/hub.ts';

export type SourceView = z.output<typeof sourceView>;
export type SourceDetail = z.output<typeof sourceDetail>;
export type SourceTool = SourceDetail['toolList'][number];
export type Pending = z.output<typeof pendingView>;

/** `digest` stands for exactly what is shown: what has changed since is not approved with it. */
export type Review = Readonly<{ digest: string; pending: Pending[] }>;

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
    onSettled: () =>
      Promise.all(
        [['sources'], ['source', name]].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
      ),
  });
}

/** Approves what was shown, and nothing that came after: one tool, or all of a review. */
export function useApprove(name: string) {
  return useMutation({
    async mutationFn({ review, tool }: { review: Review; tool?: Pending }) {
      if (!tool) return call(path(name, '/approve'), { method: 'POST', body: { digest: review.digest } });
      const now = await call<Review>(path(name, `/review?tools=${encodeURIComponent(tool.tool)}`));
      if (now.pending[0]?.after !== tool.after)
        throw new Error(`The definition of ${tool.tool} has changed since it was shown; look again.`);
      return call(path(name, '/approve'), {
        method: 'POST',
        body: { tools: [tool.tool], digest: now.digest },
      });
    },
    onSettled: () =>
      Promise.all(
        [['sources'], ['source', name]].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
      ),
  });
}
