import { useMutation, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useHasRoom } from '../frame/hub.ts';

/** Shapes of `/api/sources`. A hub without that room answers 404, and the page says so. */
export type SourceView = Readonly<{
  name: string;
  state: 'starting' | 'ready' | 'failing' | 'stopped' | 'quarantined';
  reason: string | null;
  since: number;
  nextTryAt: number | null;
  enabled: boolean;
  trust: string;
  command: readonly string[] | null;
  url: string | null;
  tools: number;
  quarantined: number;
  problems: readonly string[];
}>;

export type Suspicion = Readonly<{ kind: string; where: string; what: string }>;

export type SourceDetail = SourceView &
  Readonly<{
    instructions: string | null;
    toolList: readonly { name: string; description: string; standing: string; findings: readonly Suspicion[] }[];
  }>;

export type Pending = Readonly<{ tool: string; isNew: boolean; before: string | null; after: string; findings: readonly Suspicion[] }>;

const path = (name: string, rest = '') => `/api/sources/${encodeURIComponent(name)}${rest}`;

export function useSources() {
  const isThere = useHasRoom('sources') === true;
  return useQuery({
    queryKey: ['sources'],
    enabled: isThere,
    queryFn: () => call<{ sources: SourceView[]; refused: { name: string; problem: string }[] }>('/api/sources'),
    retry: false,
  });
}

export function useSource(name: string) {
  return useQuery({ queryKey: ['source', name], queryFn: () => call<{ source: SourceDetail }>(path(name)) });
}

export function useReview(name: string) {
  return useQuery({ queryKey: ['source', name, 'review'], queryFn: () => call<{ pending: Pending[] }>(path(name, '/review')) });
}

export function useSourceAction(name: string) {
  return useMutation({
    mutationFn: ({ what, body }: { what: 'approve' | 'switch' | 'test'; body: object }) =>
      call(path(name, `/${what}`), { method: 'POST', body }),
    onSettled: () => Promise.all([['sources'], ['source', name]].map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  });
}
