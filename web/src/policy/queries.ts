import { useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { useHub } from '../frame/hub.ts';

export type Problem = Readonly<{ line: number; column: number; message: string }>;

export type Current = Readonly<{
  path: string;
  loadedAt: number | null;
  rules: { name: string; decide: string }[];
  problems: Problem[];
}>;

export type PolicyText = Readonly<{ text: string; version: string }>;

export type DryRun = Readonly<{
  looked: number;
  changes: {
    callId: string;
    toolName: string;
    agentId: string | null;
    was: string;
    now: string;
    reason: string;
  }[];
}>;

export function usePolicy() {
  return useQuery({ queryKey: ['policy'], queryFn: () => call<Current>('/api/tools/policy') });
}

/** Only for a browser that has signed in; the others try things out and change nothing. */
export function usePolicyText() {
  const { data: hub } = useHub();
  return useQuery({
    queryKey: ['policy', 'file'],
    enabled: hub?.isSignedIn === true,
    retry: false,
    queryFn: () => call<PolicyText>('/api/tools/policy/file'),
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
