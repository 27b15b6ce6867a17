import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Api } from '../../../src/features/api.ts';
import { ask } from '../api/call.ts';

export type ClientSession = Api['GET /api/sessions']['answer']['sessions'][number];
export type SessionTurn = Api['GET /api/sessions/:sessionId']['answer']['turns'][number];
export type SessionMoment = Api['POST /api/sessions/search']['answer']['moments'][number];

/** Whether anybody said yes, and how it stands with each client. */
export function useSessionClients() {
  return useQuery({
    queryKey: ['sessions', 'clients'],
    queryFn: () => ask('GET /api/sessions/clients', {}),
  });
}

export function useSessions(project: string | undefined) {
  return useInfiniteQuery({
    queryKey: ['sessions', 'list', project],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => ask('GET /api/sessions', { project, cursor: pageParam, limit: 50 }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}

export function useMoments(query: string, project: string | undefined) {
  return useQuery({
    queryKey: ['sessions', 'search', project, query],
    enabled: query !== '',
    queryFn: () => ask('POST /api/sessions/search', { query, project, limit: 30 }),
  });
}

const AROUND = 50;

/** A session page by page, from a turn that was found or from the beginning. */
export function useSession(id: string, turn: number | undefined) {
  const first = turn === undefined ? AROUND + 1 : Math.max(AROUND + 1, turn);
  return useInfiniteQuery({
    queryKey: ['sessions', 'one', id, first],
    initialPageParam: first,
    queryFn: ({ pageParam }) =>
      ask('GET /api/sessions/:sessionId', { sessionId: id, turn: pageParam, around: AROUND }),
    getNextPageParam: ({ nextTurn }) => (nextTurn === null ? undefined : nextTurn + AROUND),
  });
}
