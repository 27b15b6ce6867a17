import { HubError } from '../../kernel/errors.ts';
import type { Binding, Principal } from '../../kernel/principal.ts';
import { isName, NAME_RULE } from '../../kernel/words.ts';

/** The pure decisions of the room. */

/** What the hub itself says in a room. */
export const HUB_AUTHOR = 'holdfast';
/** The person at the hub. */
export const PERSON = 'user';

const WINDOW_MS = 60_000;

export function roomOf(teamId: string): string {
  return `team:${teamId}`;
}

export function windowStart(now: number): number {
  return now - (now % WINDOW_MS);
}

/** Both or nothing: half a binding binds nothing, as documented. */
export function bindingOf(params: URLSearchParams): Binding | undefined {
  const team = params.get('roomTeamId');
  const agent = params.get('postAuthorAgentId');
  if (!team || !agent) return undefined;
  checkName('roomTeamId', team);
  checkName('postAuthorAgentId', agent);
  return { team, agent };
}

/** Looked at only where nothing is bound: what a bound caller passes is ignored, whatever it is. */
function nameGiven(what: string, text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  checkName(what, text);
  return text;
}

function roomGiven(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (isRoomId(text)) return text;
  throw new HubError('invalid', `roomId ${ROOM_RULE}`, { argument: 'roomId' });
}

function checkName(what: string, text: string): void {
  if (!isName(text)) {
    throw new HubError('invalid', `${what} ${NAME_RULE}`, { argument: what });
  }
}

export type NamedSpeaker = Readonly<{
  authorAgentId?: string | undefined;
  teamId?: string | undefined;
  roomId?: string | undefined;
}>;

export type Speaker = Readonly<{ author: string; teamId: string; roomId: string; isBound: boolean }>;

/** Who speaks where. What the credential or the attach URL fixed is never taken from an argument. */
export function speakerOf(
  { bound, default: given }: Pick<Principal, 'bound' | 'default'>,
  named: NamedSpeaker,
): Speaker {
  const author = bound.agent ?? nameGiven('authorAgentId', named.authorAgentId) ?? given?.agent;
  const teamId = bound.team ?? nameGiven('teamId', named.teamId) ?? given?.team;
  if (author === undefined || teamId === undefined) {
    throw new HubError('invalid', 'no bound identity: pass authorAgentId + teamId (unbound mode)', {
      hint: 'Name yourself and your team, or attach with roomTeamId and postAuthorAgentId in the URL.',
    });
  }
  const roomId = bound.team === undefined ? (roomGiven(named.roomId) ?? roomOf(teamId)) : roomOf(teamId);
  return {
    author,
    teamId: teamOf(roomId) ?? teamId,
    roomId,
    isBound: bound.agent !== undefined && bound.team !== undefined,
  };
}

/** A room of a team belongs to that team, whatever else its poster says. */
export function teamOf(roomId: string): string | undefined {
  return roomId.startsWith('team:') ? roomId.slice('team:'.length) : undefined;
}

export const ROOM_RULE = `${NAME_RULE}, and name a team after "team:"`;

/** Every team has a room, however long its name; `team:` alone would be the room of nobody. */
export function isRoomId(text: string): boolean {
  return isName(teamOf(text) ?? text);
}

/** A caller bound to a team is in that team's room; for it no other exists. */
export function canEnter(bound: Binding, roomId: string): boolean {
  return bound.team === undefined || roomId === roomOf(bound.team);
}

const MENTION = /(?<![\p{L}\p{N}_@./-])@([\p{L}\p{N}][\p{L}\p{N}_.:-]{0,199})/gu;
const MAX_MENTIONS = 20;

/** Names after an @ that does not continue a word: an address of mail or a package is no mention. */
export function mentionsIn(text: string): string[] {
  const names = [...text.matchAll(MENTION)].flatMap(([, name]) => [name!, name!.replace(/[.:-]+$/u, '')]);
  return [...new Set(names)].filter((name) => name !== '').slice(0, MAX_MENTIONS);
}
