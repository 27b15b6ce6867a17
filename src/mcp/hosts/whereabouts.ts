import { type Binding, localPrincipal, type Principal } from '../../kernel/principal.ts';
import type { ServerDefinition } from '../server.ts';
import type { Hello, Whereabouts } from './hello.ts';

/**
 * What a caller from there is taken for when it names nothing. Never rejects: a default that cannot be
 * found is none.
 */
export type FindDefaults = (from: Whereabouts) => Promise<NonNullable<Principal['default']>>;

type Introduced = Pick<Hello, 'seat' | 'params' | 'from'>;

/**
 * Who a stdio process is, by its own words: the file system or the process itself has vouched for the user.
 */
export function stdioPrincipal({ seat, params, from }: Introduced, server: Pick<ServerDefinition, 'binding'>): Principal {
  const bound: Binding = server.binding?.(new URLSearchParams(params ?? '')) ?? {};
  return localPrincipal(seat, from?.agent === undefined ? bound : { ...bound, agent: from.agent });
}

/** The same with what has to be looked up first. Undefined when there is nothing to look for. */
export function completePrincipal(who: Principal, { from }: Introduced, find?: FindDefaults): Promise<Principal> | undefined {
  if (from === undefined || find === undefined) return undefined;
  return find(from).then((found) => ({ ...who, default: found }));
}
