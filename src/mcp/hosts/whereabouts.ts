import { type Binding, localPrincipal, type Principal } from '../../kernel/principal.ts';
import type { ServerDefinition } from '../server.ts';
import type { Hello } from './hello.ts';

type Greeting = Pick<Hello, 'seat' | 'params' | 'from' | 'cwd'>;

/** Who a stdio process is, by its own words: the file system or the process itself has vouched for the user. */
export function stdioPrincipal(
  { seat, params, from, cwd = from?.cwd }: Greeting,
  server: Pick<ServerDefinition, 'binding'>,
): Principal {
  const bound: Binding = server.binding?.(new URLSearchParams(params ?? '')) ?? {};
  const who = localPrincipal(seat, from?.agent === undefined ? bound : { ...bound, agent: from.agent });
  return cwd === undefined ? who : { ...who, folder: cwd };
}
