import { useQuery } from '@tanstack/react-query';
import type { Api } from '../../../src/features/api.ts';
import { ask } from '../api/call.ts';
import { useHub } from '../frame/hub.ts';

export type Problem = Api['GET /api/tools/policy']['answer']['problems'][number];
export type PolicyText = Api['GET /api/tools/policy/file']['answer'];

export type Checked = Api['POST /api/tools/policy/check']['answer'];

/** How many calls are looked at for what decided them. */
export const LATELY = 500;

/** How often each rule decided, of the calls of late. */
export function useDecidedLately(): ReadonlyMap<string, number> {
  const { data } = useQuery({
    queryKey: ['audit', 'decided lately'],
    queryFn: () => ask('GET /api/tools/audit', { phase: 'before', limit: LATELY }),
    select: ({ audit }) => {
      const counts = new Map<string, number>();
      for (const { reason } of audit) {
        const [, rule] = /^policy:(.*)$/s.exec(reason ?? '') ?? [];
        if (rule !== undefined) counts.set(rule, (counts.get(rule) ?? 0) + 1);
      }
      return counts;
    },
  });
  return data ?? NOTHING;
}

const NOTHING: ReadonlyMap<string, number> = new Map();

export function usePolicy() {
  return useQuery({ queryKey: ['policy'], queryFn: () => ask('GET /api/tools/policy') });
}

/** Only for a browser that has signed in; the others try things out and change nothing. */
export function usePolicyText() {
  const { data: hub } = useHub();
  return useQuery({
    queryKey: ['policy', 'file'],
    enabled: hub?.isSignedIn === true,
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
