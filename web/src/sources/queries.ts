import { useQuery } from '@tanstack/react-query';
import type { Api } from '../../../src/features/api.ts';
import { ask } from '../api/call.ts';
import { useHasRoom } from '../frame/hub.ts';

export type SourceView = Api['GET /api/sources']['answer']['sources'][number];
export type SourceDetail = Api['GET /api/sources/:name']['answer']['source'];
export type SourceTool = SourceDetail['toolList'][number];
/** `digest` stands for exactly what is shown: what has changed since is not approved with it. */
export type Review = Api['GET /api/sources/:name/review']['answer'];
export type Pending = Review['pending'][number];
export type Decided = Review['decided'][number];

/** One that starts or fails is tried again without a word: while that goes on, it is asked after. */
export const askAgain = (sources: readonly Pick<SourceView, 'state'>[]) =>
  sources.some(({ state }) => state === 'starting' || state === 'failing') && 3000;

export function useSources() {
  const isThere = useHasRoom('sources') === true;
  return useQuery({
    queryKey: ['sources'],
    enabled: isThere,
    queryFn: () => ask('GET /api/sources'),
    refetchInterval: ({ state }) => askAgain(state.data?.sources ?? []),
  });
}
