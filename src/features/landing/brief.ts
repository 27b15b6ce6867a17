// What landed in a project while an agent was away, and what of its own came back.
import { hasScope } from '../../kernel/principal.ts';
import type { Database } from '../../store/database.ts';
import { agoText, type AskBrief, nameIn, type BriefItem } from '../briefing/briefing.ts';
import { endedSince } from './rows.ts';

const MOST = 10;

export function landingBrief(db: Database): AskBrief {
  return async ({ caller: { who }, agents, team, since, now }) => {
    if (team === undefined || !hasScope(who, 'board:read')) return [];
    const ended = await db.read((q) => endedSince(q, { project: team, since, most: 4 * MOST }));
    return ended
      .flatMap(({ id, taskId, title, branch, state, requestedBy, why, updatedAt }): BriefItem[] => {
        const when = agoText(now, updatedAt);
        if (state === 'landed')
          return [
            {
              kind: 'landed',
              id,
              words: title,
              says: `${nameIn(branch)} of ${nameIn(requestedBy)}, ${when}`,
              about: `task ${taskId}`,
            },
          ];
        if (!agents.includes(requestedBy)) return [];
        return [{ kind: 'returned', id, words: `${title}: ${why ?? state}`, says: `${state}, ${when}` }];
      })
      .slice(0, MOST);
  };
}
