import { HubError } from '../../../kernel/errors.ts';
import { type Principal, requireOperator } from '../../../kernel/principal.ts';

/**
 * Who decides. What others may do is no part of an agent's own work, so `*` on its token does not include it:
 * the operator names the scope on the token, or decides.
 */
export type DecidingScope = 'tools:approve' | 'tools:admin';

function mayDecide(who: Principal, scope: DecidingScope = 'tools:approve'): boolean {
  return (who.kind !== 'agent' && who.kind !== 'being') || who.scopes.has(scope);
}

/**
 * Nobody approves their own call, on any way. A caller that is known by a credential of an agent is never
 * asked in place, whatever its scopes: whoever holds the token can be the client that answers. A client on
 * this machine without such a credential, and one with the hub token, speaks for the person who runs it; its
 * user may be asked.
 */
export function mayAnswerInPlace(who: Principal): boolean {
  return who.kind !== 'agent' && who.kind !== 'being';
}

export function requireDecider(who: Principal, scope: DecidingScope): void {
  if (mayDecide(who, scope)) return;
  throw new HubError('forbidden', `An agent decides about tools only with a token that names ${scope}.`, {
    scope,
    hint: 'Ask the operator to decide, or for such a token.',
  });
}

/** The policy binds every agent: changing it needs the hub token, or the cookie of `holdfast open`. */
export function requirePolicyEditor(who: Principal): void {
  requireOperator(who, 'Editing the policy', 'Sign the page in with `holdfast open`');
}

/** For what cannot be told apart by team. */
export function refuseBound({ bound }: Principal, what: string): void {
  if (bound.team === undefined) return;
  throw new HubError('forbidden', `${what} of every team; this caller is bound to ${bound.team}.`, {
    team: bound.team,
  });
}
