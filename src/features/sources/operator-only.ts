import { HubError } from '../../kernel/errors.ts';
import type { Principal } from '../../kernel/principal.ts';

/** A source runs programs: an agent on this machine must not add one, and loopback alone does not tell it from its person. */
export function requireOperator(who: Principal, what: string): void {
  if (who.kind === 'operator' || who.kind === 'system') return;
  throw new HubError(who.kind === 'local' ? 'unauthorized' : 'forbidden', `${what} needs the hub token.`, {
    hint: 'Use `holdfast source …`, or send the token from the `token` file in HOLDFAST_HOME.',
  });
}
