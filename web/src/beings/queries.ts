import { useQuery } from '@tanstack/react-query';
import type { Api } from '../../../src/features/api.ts';
import { ask } from '../api/call.ts';

type BeingMap = Api['GET /v1/beings/:id/memory/map']['answer'];
export type Being = Api['GET /v1/beings']['answer']['beings'][number];
export type Memory = BeingMap['nodes'][number];
export type Cluster = BeingMap['clusters'][number];
export type PatrolRun = Api['GET /v1/beings/:id/patrol']['answer']['runs'][number];
export type BeingToken = Api['GET /v1/beings/:id/tokens']['answer']['tokens'][number];

/** What is asked about one Being alone. */
type AboutBeing =
  | 'GET /v1/beings/:id/consents'
  | 'GET /v1/beings/:id/documents'
  | 'GET /v1/beings/:id/memory/map'
  | 'GET /v1/beings/:id/patrol'
  | 'GET /v1/beings/:id/soul'
  | 'GET /v1/beings/:id/tokens';

function useOf<P extends AboutBeing>(id: string, route: P) {
  return useQuery({
    queryKey: ['being', id, route],
    queryFn: (): Promise<Api[P]['answer']> => ask<AboutBeing>(route, { id }),
  });
}

export const useMap = (id: string) => useOf(id, 'GET /v1/beings/:id/memory/map');
export const useDocuments = (id: string) => useOf(id, 'GET /v1/beings/:id/documents');
export const useSoul = (id: string) => useOf(id, 'GET /v1/beings/:id/soul');
export const usePatrols = (id: string) => useOf(id, 'GET /v1/beings/:id/patrol');
export const useConsents = (id: string) => useOf(id, 'GET /v1/beings/:id/consents');
export const useBeingTokens = (id: string) => useOf(id, 'GET /v1/beings/:id/tokens');
