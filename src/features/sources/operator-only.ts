import { type Principal, requireOperator } from '../../kernel/principal.ts';

/** A source runs programs: an agent on this machine must not add one, and loopback alone does not tell it from its person. */
export function requireSourceKeeper(who: Principal, what: string): void {
  requireOperator(who, what, 'Use `holdfast source …`');
}
