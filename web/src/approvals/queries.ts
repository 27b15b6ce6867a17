import { useMutation, useQuery } from '@tanstack/react-query';
import type { Api } from '../../../src/features/api.ts';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useHeld } from './held.ts';

import type { Approval } from './decision.ts';

export type { Approval } from './decision.ts';
export type Grant = Api['GET /api/tools/grants']['answer']['grants'][number];
export type Offers = Api['GET /api/tools/approvals/:id/offers']['answer'];
export type Touches = Api['GET /api/tools/approvals/:id/touches']['answer'];
type ToolRisk = Api['GET /api/tools']['answer']['tools'][number]['risk'];

/** The one order of requests, wherever they are listed: what runs out first comes first. */
function bySoonest(a: Approval, b: Approval): number {
  return a.expiresAt - b.expiresAt || (a.id < b.id ? -1 : 1);
}

/** What was decided a moment ago, and is still held back, waits for nobody. */
export function useApprovals() {
  const { held } = useHeld();
  return useQuery({
    queryKey: ['approvals'],
    queryFn: () => ask('GET /api/tools/approvals'),
    select: ({ approvals, ...rest }) => {
      const decided = new Set(held.map(({ approval }) => approval.id));
      return { ...rest, approvals: approvals.filter(({ id }) => !decided.has(id)).toSorted(bySoonest) };
    },
  });
}

/** One request, decided or not; by the end of its id, which is how an event and a post both know it. */
export function useApproval(id: string) {
  return useQuery({
    queryKey: ['approval', id.slice(-8)],
    queryFn: () => ask('GET /api/tools/approvals/:id', { id }),
    staleTime: Infinity,
  });
}

export function useOffers(id: string) {
  return useQuery({
    queryKey: ['offers', id],
    queryFn: () => ask('GET /api/tools/approvals/:id/offers', { id }),
  });
}

/** Which files and hosts it would touch: looked at anew when somebody comes back to it. */
export function useTouches(id: string) {
  return useQuery({
    queryKey: ['touches', id],
    queryFn: () => ask('GET /api/tools/approvals/:id/touches', { id }),
  });
}

/** What the hub says of its tools: how much harm each can do. */
export function useRisks(): ReadonlyMap<string, ToolRisk> | undefined {
  return useQuery({
    queryKey: ['tools', 'risks'],
    queryFn: () => ask('GET /api/tools', { all: true }),
    select: ({ tools }) => new Map(tools.map(({ name, risk }) => [name, risk])),
  }).data;
}

export function useGrants(isAll: boolean) {
  return useQuery({
    queryKey: ['grants', isAll],
    queryFn: () => ask('GET /api/tools/grants', { all: isAll || undefined }),
  });
}

export function useRevoke() {
  return useMutation({
    mutationFn: (id: string) => ask('DELETE /api/tools/grants/:id', { id }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['grants'] }),
  });
}
