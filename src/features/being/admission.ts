import { HubError } from '../../kernel/errors.ts';
import { HUB_TOKEN_HINT, isOperator, type Principal } from '../../kernel/principal.ts';

/** REST: the operator, and a Being for itself. An agent may hold every scope there is and is still neither. */
export function admit(who: Principal, being: string): string {
  if (who.kind === 'being' && who.bound.being === being) return being;
  admitOperator(who);
  return being;
}

export function admitOperator(who: Principal): void {
  if (isOperator(who)) return;
  if (who.kind === 'local') {
    throw new HubError('unauthorized', 'Beings need the hub token, or a token of the Being.', {
      hint: HUB_TOKEN_HINT,
    });
  }
  throw new HubError('forbidden', 'Beings are for the operator of the hub, and each for itself.');
}
