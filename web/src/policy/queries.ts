import { useQuery } from '@tanstack/react-query';
import type { Api } from '../../../src/features/api.ts';
import { ask } from '../api/call.ts';
import { useHub } from '../frame/hub.ts';

export type Problem = Api['GET /api/tools/policy']['answer']['problems'][number];
export type PolicyText = Api['GET /api/tools/policy/file']['answer'];

export function usePolicy() {
  return useQuery({ queryKey: ['policy'], queryFn: () => ask('GET /api/tools/policy') });
}

/** Only for a browser that has signed in; the others try things out and change nothing. */
export function usePolicyText() {
  const { data: hub } = useHub();
  return useQuery({
    queryKey: ['policy', 'file'],
    enabled: hub?.isSignedIn === true,
    retry: false,
    queryFn: () => ask('GET /api/tools/policy/file'),
  });
}

export const SIGNS: Readonly<Record<string, string>> = {
  allow: 'text-kelp',
  deny: 'text-amber',
  ask: 'text-coral',
  require_approval: 'text-coral',
};

/** What was decided, as people say it. */
export function verdict(decision: string): string {
  return { allow: 'allow', deny: 'deny', require_approval: 'ask' }[decision] ?? decision.replaceAll('_', ' ');
}
