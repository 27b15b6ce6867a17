// What mail waits for an agent that begins. It is looked at and not taken: the inbox hands it out.
import { hasScope } from '../../kernel/principal.ts';
import type { Database } from '../../store/database.ts';
import { agoText, type AskBrief, nameIn } from '../briefing/briefing.ts';
import { listDue } from './rows/mailbox.ts';
import { mailboxesNamed } from './rows/messages.ts';
import { isOwnTeam } from './rules.ts';

const MOST = 6;

export function mailBrief(db: Database): AskBrief {
  return async ({ caller: { who }, agents, now }) => {
    if (!hasScope(who, 'peers:read')) return [];
    const waiting = await db.read(async (q) => {
      const boxes = (await Promise.all(agents.map((agent) => mailboxesNamed(q, agent)))).flat();
      const own = boxes.filter(({ team }) => isOwnTeam(who, team));
      const found = [];
      for (const box of own)
        found.push(...(await listDue(q, { ...box, peerId: undefined }, { limit: MOST, now })));
      return found;
    });
    return waiting.slice(0, MOST).map(({ id, type, fromAgent, text, createdAt }) => ({
      kind: 'mail',
      id,
      words: text,
      says: `${type} from ${nameIn(fromAgent)}, ${agoText(now, createdAt)}`,
    }));
  };
}
