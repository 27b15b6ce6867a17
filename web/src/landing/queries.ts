import { useMutation, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Collision } from '../../../src/features/landing/collisions/collision.ts';
import type { Api } from '../../../src/features/api.ts';
import type { LandingView } from '../../../src/features/landing/landing-shapes.ts';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useHub } from '../frame/hub.ts';

export type { Collision, LandingView };
export type LandQueue = Api['GET /api/landings/queues']['answer']['queues'][number];

/** What lands is shown to who has signed in, where the hub has it at all. */
export function useMayLand(): boolean {
  const { data: hub } = useHub();
  return hub?.rooms.includes('landing') === true && hub.isSignedIn;
}

export function useLandings() {
  return useQuery({
    queryKey: ['landings'],
    enabled: useMayLand(),
    queryFn: () => ask('GET /api/landings', {}),
  });
}

export function useQueues() {
  return useQuery({
    queryKey: ['land-queues'],
    enabled: useMayLand(),
    queryFn: () => ask('GET /api/landings/queues', {}),
  });
}

export function useCollisions() {
  return useQuery({
    queryKey: ['collisions'],
    enabled: useMayLand(),
    queryFn: () => ask('GET /api/collisions', {}),
  });
}

/** By task: the branches that its own does not go together with. */
export function useCollidingTasks(): ReadonlyMap<string, readonly string[]> {
  const { data } = useCollisions();
  return useMemo(() => {
    const found = new Map<string, string[]>();
    const note = (task: string | null, branch: string) => {
      if (task !== null) found.set(task, [...(found.get(task) ?? []), branch]);
    };
    for (const { a, b } of data?.collisions ?? []) {
      note(a.task, b.branch);
      note(b.task, a.branch);
    }
    return found;
  }, [data]);
}

/** By task: how far its newest landing is, while it is under way or went wrong. */
export function useLandingTasks(): ReadonlyMap<string, LandingView['state']> {
  const { data } = useLandings();
  return useMemo(() => {
    const newestLast = (data?.landings ?? []).toSorted((a, b) => a.updatedAt - b.updatedAt);
    return new Map(
      newestLast.flatMap(({ task, state }) => (state === 'withdrawn' ? [] : [[task, state] as const])),
    );
  }, [data]);
}

/** What the checks found; evidence never changes. */
export function useLandEvidence(landing: LandingView) {
  return useQuery({
    queryKey: ['land-evidence', landing.id, landing.updatedAt],
    enabled: landing.evidence.length > 0,
    queryFn: () => ask('GET /api/evidence/:evidenceId', { evidenceId: landing.id }),
  });
}

export function useLand(taskId: string) {
  return useMutation({
    mutationFn: () => ask('POST /api/landings', { taskId }),
    onSettled: refresh,
  });
}

export function useDecideLanding() {
  return useMutation({
    mutationFn: ({ id: landingId, verb }: Readonly<{ id: string; verb: 'approve' | 'withdraw' }>) =>
      verb === 'approve'
        ? ask('POST /api/landings/:landingId/approve', { landingId })
        : ask('POST /api/landings/:landingId/withdraw', { landingId }),
    onSettled: refresh,
  });
}

export function usePauseLanding() {
  return useMutation({
    mutationFn: (given: Readonly<{ paused: boolean; project?: string }>) =>
      ask('POST /api/landings/pause', given),
    onSettled: refresh,
  });
}

function refresh(): void {
  for (const key of ['landings', 'land-queues']) void queryClient.invalidateQueries({ queryKey: [key] });
}
