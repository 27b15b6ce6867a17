import { useMutation, useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import type { approvalView, grantView } from '../../../src/features/broker/views.ts';
import { call } from '../api/call.ts';
import { queryClient } from '../api/client.ts';

export type Approval = z.output<typeof approvalView>;
export type Grant = z.output<typeof grantView>;
export type Decision = 'allow_once' | 'allow_always' | 'deny';

type Answer = Readonly<{ approvals: Approval[] }>;
const KEY = ['approvals'] as const;

/** An approval that runs out leaves no event at once: the list is looked at again when the first of them does. */
export function useApprovals() {
  return useQuery({
    queryKey: KEY,
    queryFn: () => call<Answer>('/api/tools/approvals'),
    refetchInterval: ({ state: { data } }) => {
      const soonest = Math.min(...(data?.approvals ?? []).map(({ expiresAt }) => expiresAt));
      return Number.isFinite(soonest) ? Math.max(1_000, soonest - Date.now() + 500) : false;
    },
  });
}

export type Deciding = Readonly<{ ids: readonly string[]; decision: Decision; grantTtlMs?: number }>;

export function useDecide() {
  return useMutation({
    mutationFn: (given: Deciding) =>
      call<{ approvals: Approval[]; notFound: string[] }>('/api/tools/approvals/resolve', {
        method: 'POST',
        body: given,
      }),
    onMutate: ({ ids }) => {
      const before = queryClient.getQueryData<Answer>(KEY);
      if (before)
        queryClient.setQueryData<Answer>(KEY, {
          ...before,
          approvals: before.approvals.filter(({ id }) => !ids.includes(id)),
        });
      return before;
    },
    onError: (_error, _given, before) => before && queryClient.setQueryData(KEY, before),
    onSettled: () => queryClient.invalidateQueries({ queryKey: KEY }),
  });
}

export function useGrants(isAll: boolean) {
  return useQuery({
    queryKey: ['grants', isAll],
    queryFn: () => call<{ grants: Grant[] }>(`/api/tools/grants${isAll ? '?all=true' : ''}`),
  });
}

export function useRevoke() {
  return useMutation({
    mutationFn: (id: string) => call(`/api/tools/grants/${encodeURIComponent(id)}`, { method: 'DELETE' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['grants'] }),
  });
}
