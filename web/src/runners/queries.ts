import { useMutation, useQuery } from '@tanstack/react-query';
import type { Api } from '../../../src/features/api.ts';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useMayRun } from '../runs/queries.ts';

export type Runner = Api['GET /v1/runners']['answer']['runners'][number];

/** What a runner has and whether it lives is its beat, not an event: it is asked after while somebody looks. */
const BEAT_MS = 5_000;

export function useRunners() {
  return useQuery({
    queryKey: ['runners'],
    enabled: useMayRun(),
    queryFn: () => ask('GET /v1/runners'),
    refetchInterval: BEAT_MS,
  });
}

export function useDrain() {
  return useMutation({
    mutationFn: (said: Readonly<{ name: string; undo: boolean }>) =>
      ask('POST /v1/runners/:name/drain', said),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['runners'] }),
  });
}

/** What a runner may do, and nothing else. */
export const RUNNER_SCOPE = 'runs:work';

const tokensAreStale = () => queryClient.invalidateQueries({ queryKey: ['tokens'] });

export function useNewRunnerToken() {
  return useMutation({
    mutationFn: (name: string) =>
      ask('POST /api/tokens', { agent: name, scopes: [RUNNER_SCOPE], label: 'runner' }),
    onSuccess: tokensAreStale,
  });
}

export function useRevoke() {
  return useMutation({
    mutationFn: (id: string) => ask('DELETE /api/tokens/:id', { id }),
    onSettled: tokensAreStale,
  });
}
