import { useMutation, useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import type { offersView } from '../../../src/features/broker/offer-routes.ts';
import type { grantView } from '../../../src/features/broker/views.ts';
import { call } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import type { Approval } from './deciding.ts';
import { useHeld } from './held.ts';

export type { Approval } from './deciding.ts';
export type Grant = z.output<typeof grantView>;

type Answer = Readonly<{ approvals: Approval[] }>;

/** What was decided a moment ago, and is still held back, waits for nobody. */
export function useApprovals() {
  const { held } = useHeld();
  return useQuery({
    queryKey: ['approvals'],
    queryFn: () => call<Answer>('/api/tools/approvals'),
    select: ({ approvals, ...rest }) => {
      const decided = new Set(held.flatMap(({ deciding }) => deciding.ids));
      return { ...rest, approvals: approvals.filter(({ id }) => !decided.has(id)) };
    },
  });
}

/** One request, decided or not; by the end of its id, which is how an event and a post both know it. */
export function useApproval(id: string) {
  return useQuery({
    queryKey: ['approval', id.slice(-8)],
    queryFn: () =>
      call<{ approval: Approval; note: string | null }>(`/api/tools/approvals/${encodeURIComponent(id)}`),
    retry: false,
    staleTime: Infinity,
  });
}

export type Offers = Omit<z.output<typeof offersView>, 'ok'>;

export function useOffers(id: string) {
  return useQuery({
    queryKey: ['offers', id],
    queryFn: () => call<Offers>(`/api/tools/approvals/${encodeURIComponent(id)}/offers`),
    retry: false,
  });
}

type ToolRisk = 'safe' | 'destructive' | 'external';

/** What the hub says of its tools: how much harm each can do. */
export function useRisks(): ReadonlyMap<string, ToolRisk> | undefined {
  return useQuery({
    queryKey: ['tools', 'risks'],
    queryFn: () => call<{ tools: { name: string; risk: ToolRisk }[] }>('/api/tools?all=true'),
    select: ({ tools }) => new Map(tools.map(({ name, risk }) => [name, risk])),
  }).data;
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
