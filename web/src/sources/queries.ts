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

type Suspicion = Readonly<{ kind: string; where: string; what: string }>;

export type SourceDetail = SourceView &
  Readonly<{
    instructions: string | null;
    toolList: readonly {
      name: string;
      description: string;
      standing: string;
      findings: readonly Suspicion[];
    }[];
  }>;

export type Pending = Readonly<{
  tool: string;
  isNew: boolean;
  before: string | null;
  after: string;
  findings: readonly Suspicion[];
}>;

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

export function useSource(name: string) {
  return useQuery({ queryKey: ['source', name], queryFn: () => call<{ source: SourceDetail }>(path(name)) });
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
