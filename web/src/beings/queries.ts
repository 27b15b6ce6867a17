import { useQuery } from '@tanstack/react-query';
import type { BeingDocuments, BeingMap } from '../../../src/features/being/map-routes.ts';
import type { BeingConsent } from '../../../src/features/access/oauth/oauth.ts';
import { call } from '../api/call.ts';

export type Being = Readonly<{
  id: string;
  name: string;
  owner: string;
  createdAt: number;
  updatedAt: number;
}>;
export type Memory = BeingMap['nodes'][number];
export type Cluster = BeingMap['clusters'][number];

export type PatrolRun = Readonly<{
  id: string;
  state: string;
  startedAt: number;
  endedAt: number | null;
  stats: Readonly<Record<string, unknown>>;
  steps: readonly Readonly<{ step: string; outcome: string }>[];
}>;

export type BeingToken = Readonly<{
  id: string;
  scope: string;
  label: string | null;
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
  usedAt: number | null;
}>;

export const beingPath = (id: string, rest = '') => `/v1/beings/${encodeURIComponent(id)}${rest}`;

function useOf<T>(id: string, rest: string) {
  return useQuery({
    queryKey: ['being', id, rest],
    retry: false,
    queryFn: () => call<T>(beingPath(id, rest)),
  });
}

export const useMap = (id: string) => useOf<BeingMap>(id, '/memory/map');
export const useDocuments = (id: string) => useOf<BeingDocuments>(id, '/documents');
export const useSoul = (id: string) => useOf<{ soul: Record<string, string> }>(id, '/soul');
export const usePatrols = (id: string) => useOf<{ runs: PatrolRun[] }>(id, '/patrol');
export const useConsents = (id: string) => useOf<{ consents: BeingConsent[] }>(id, '/consents');
export const useBeingTokens = (id: string) => useOf<{ tokens: BeingToken[] }>(id, '/tokens');
