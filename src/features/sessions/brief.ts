// How the last session of a repository ended, for an agent that begins there.
import { HubError } from '../../kernel/errors.ts';
import { hasScope } from '../../kernel/principal.ts';
import { agoText, type AskBrief, nameIn, type BriefItem } from '../briefing/briefing.ts';
import type { ClientSessions } from './sessions.ts';

/** A session that began so shortly ago is the one that is told. */
const JUST_NOW_MS = 60_000;
const LOOKED_AT = 5;
const LAST_TURNS = 40;

export function sessionBrief(sessions: Pick<ClientSessions, 'list' | 'ending'>): AskBrief {
  return async ({ caller: { who }, via, folder, session, now }): Promise<readonly BriefItem[]> => {
    if (!hasScope(who, 'sessions:read')) return [];
    const seeing = { who, via };
    const { sessions: newest } = await sessions.list(seeing, { folder, limit: LOOKED_AT }).catch(nowhere);
    const last = newest.find(
      ({ clientId, startedAt, turns }) =>
        turns > 0 && clientId !== session && (session !== undefined || startedAt < now - JUST_NOW_MS),
    );
    if (!last) return [];
    const { person, agent } = await sessions.ending(seeing, { id: last.id, most: LAST_TURNS });
    const about = `${last.client}, ${agoText(now, last.endedAt)}`;
    const lines = [
      ...(last.title === null ? [] : [{ words: last.title, says: about }]),
      ...(person === undefined ? [] : [{ words: person, says: `the person's last words, ${about}` }]),
      ...(agent === undefined ? [] : [{ words: agent, says: `the last words of ${nameIn(last.client)}` }]),
    ];
    return lines.map((line, i): BriefItem => ({
      kind: 'session',
      id: last.id,
      about: `session ${i}`,
      ...line,
    }));
  };
}

/** Who works in no repository has no sessions of its own. */
function nowhere(error: unknown): Readonly<{ sessions: [] }> {
  if (error instanceof HubError && error.code === 'forbidden') return { sessions: [] };
  throw error;
}
