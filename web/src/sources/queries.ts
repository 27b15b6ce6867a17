import { useMutation, useQueries, useQuery } from '@tanstack/react-query';
import type { Api } from '../../../src/features/api.ts';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useHasRoom } from '../frame/hub.ts';

export type SourceView = Api['GET /api/sources']['answer']['sources'][number];
export type SourceDetail = Api['GET /api/sources/:name']['answer']['source'];
export type SourceTool = SourceDetail['toolList'][number];
/** `digest` stands for exactly what is shown: what has changed since is not approved with it. */
export type Review = Api['GET /api/sources/:name/review']['answer'];
export type Pending = Review['pending'][number];
export type Decided = Review['decided'][number];

/** One that starts or fails is tried again without a word: while that goes on, it is asked after. */
const askAgain = (sources: readonly Pick<SourceView, 'state'>[]) =>
  sources.some(({ state }) => state === 'starting' || state === 'failing') && 3000;

export function useSources() {
  const isThere = useHasRoom('sources') === true;
  return useQuery({
    queryKey: ['sources'],
    enabled: isThere,
    queryFn: () => ask('GET /api/sources'),
    refetchInterval: ({ state }) => askAgain(state.data?.sources ?? []),
    retry: false,
  });
}

const detailOf = (name: string) => ({
  queryKey: ['source', name],
  queryFn: () => ask('GET /api/sources/:name', { name }),
});

export function useSource(name: string) {
  return useQuery({
    ...detailOf(name),
    refetchInterval: ({ state }) => askAgain(state.data ? [state.data.source] : []),
  });
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
    queryFn: () => ask('GET /api/sources/:name/review', { name }),
  });
}

/** Switched on or off, or connected to now. */
export function useSourceAction(name: string) {
  return useMutation({
    mutationFn: async (what: 'on' | 'off' | 'test') => {
      if (what === 'test') await ask('POST /api/sources/:name/test', { name });
      else await ask('POST /api/sources/:name/switch', { name, enabled: what === 'on' });
    },
    onSettled: () => refresh(name),
  });
}

type Decision = Readonly<{ what: 'approve' | 'reject'; tools?: string[]; digest: string }>;

/** Decides on what was shown, and on nothing that came after: one tool, or all of a review. */
export function useDecide(name: string) {
  return useMutation({
    mutationFn: async ({ what, ...chosen }: Decision) => {
      if (what === 'approve') await ask('POST /api/sources/:name/approve {chosen}', { name, chosen });
      else await ask('POST /api/sources/:name/reject {chosen}', { name, chosen });
    },
    onSettled: () => refresh(name),
  });
}

export function useUndo(name: string) {
  return useMutation({
    mutationFn: (tools: string[]) => ask('POST /api/sources/:name/undo', { name, tools }),
    onSettled: () => refresh(name),
  });
}

function refresh(name: string): Promise<unknown> {
  return Promise.all(
    [['sources'], ['source', name]].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
  );
}
