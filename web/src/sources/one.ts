import { useMutation, useQueries, useQuery } from '@tanstack/react-query';
import type { Api } from '../../../src/features/api.ts';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useIsGoing } from '../api/in-flight.ts';
import { askAgain, useSources } from './queries.ts';

const detailOf = (name: string) => ({
  queryKey: ['source', name],
  queryFn: () => ask('GET /api/sources/:name', { name }),
});

const removing = (name: string) => ['remove source', name];

export function useSource(name: string) {
  const isGoing = useIsGoing(removing(name));
  return useQuery({
    ...detailOf(name),
    enabled: !isGoing,
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
  const isGoing = useIsGoing(removing(name));
  return useQuery({
    queryKey: ['source', name, 'review'],
    enabled: !isGoing,
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

/** What is not said stays as it is in config.yaml. */
export type Change = Omit<Api['PATCH /api/sources/:name']['given'], 'name'>;

export function useChange(name: string) {
  return useMutation({
    mutationFn: (said: Change) => ask('PATCH /api/sources/:name', { name, ...said }),
    onSettled: () => refresh(name),
  });
}

export function useRemove(name: string) {
  return useMutation({
    mutationKey: removing(name),
    // Another one may come under its name.
    gcTime: 1_000,
    mutationFn: () => ask('DELETE /api/sources/:name', { name }),
    // Not waited for: what shows it has to hear first that it is gone.
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ['sources'] }),
  });
}

/** Answers the page that a person has to visit; none where it is logged in already. */
export function useLogin(name: string) {
  return useMutation({
    mutationFn: () => ask('POST /api/sources/:name/login', { name }),
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
