import { useMutationState } from '@tanstack/react-query';

/** Whether what this removal takes away is going, or gone: it is not asked after any more. */
export function useIsGoing(removal: readonly unknown[]): boolean {
  const removals = useMutationState({
    filters: { mutationKey: removal },
    select: ({ state }) => state.status,
  });
  return removals.some((status) => status !== 'error');
}
