import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/call.ts';

/** Rolls by itself, so it is asked again now and then. */
const AGAIN_MS = 60_000;

export function useBudget() {
  return useQuery({
    queryKey: ['budget'],
    queryFn: () => ask('GET /api/budget', {}),
    refetchInterval: AGAIN_MS,
  });
}
export type BudgetRow = NonNullable<ReturnType<typeof useBudget>['data']>['windows'][number];

/** How much of it is left, of two limits the one that ends first; undefined: there is no limit. */
export function partLeft({ tokens, dollars, limit }: BudgetRow): number | undefined {
  if (limit === null) return undefined;
  const left = (most: number | null, used: number) =>
    most === null ? 1 : most === 0 ? 0 : Math.max(0, 1 - used / most);
  return Math.min(left(limit.tokens, tokens), left(limit.dollars, dollars));
}
