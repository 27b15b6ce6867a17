import { QueryClient } from '@tanstack/react-query';
import { Refusal } from './call.ts';

/** Nothing grows old by itself: the event stream says what is stale. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => error instanceof Refusal && error.code === 'unreachable' && failures < 2,
    },
    mutations: { retry: false },
  },
});
