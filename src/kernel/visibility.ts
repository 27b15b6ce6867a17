import type { Event } from './event.ts';
import { isOperator, type Principal, seesTeam } from './principal.ts';

/** Whose an event is: all that decides who may know of it. */
export type Origin = Pick<Event, 'realm' | 'team'>;

/** May this caller learn that the event happened? A team binding shows that team alone, a Being sees its own realm. */
export function canSee(who: Principal, event: Origin): boolean {
  if (event.realm !== 'hub') return isOperator(who) || event.realm === `being:${who.bound.being ?? ''}`;
  if (who.kind === 'being') return false;
  return seesTeam(who, event.team);
}
