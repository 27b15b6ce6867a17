// What mail waits for an agent that begins. It is looked at and not taken: the inbox hands it out.
import { hasScope, type Principal } from '../../kernel/principal.ts';
import type { Database, Query } from '../../store/database.ts';
import { agoText, type AskBrief, nameIn } from '../briefing/briefing.ts';
import { listDue } from './rows/mailbox.ts';
import { mailboxesNamed, type StoredMessage } from './rows/messages.ts';
import { isOwnTeam } from './rules.ts';

const MOST = 6;

export function mailBrief(db: Database): AskBrief {
  return async ({ caller: { who }, agents, now }) => {
    if (!hasScope(who, 'peers:read')) return [];
    const waiting = await db.read((q) => mailWaiting(q, { who, agents, now, limit: MOST }));
    return waiting.slice(0, MOST).map(({ id, type, fromAgent, text, createdAt }) => ({
      kind: 'mail',
      id,
      words: text,
      says: `${type} from ${nameIn(fromAgent)}, ${agoText(now, createdAt)}`,
    }));
  };
}

type Waiting = Readonly<{ who: Principal; agents: readonly string[]; now: number; limit: number }>;

/** Of each of its mailboxes the first few. */
export async function mailWaiting(
  q: Query,
  { who, agents, now, limit }: Waiting,
): Promise<readonly StoredMessage[]> {
  const boxes = (await Promise.all(agents.map((agent) => mailboxesNamed(q, agent)))).flat();
  const found: StoredMessage[] = [];
  for (const box of boxes.filter(({ team }) => isOwnTeam(who, team)))
    found.push(...(await listDue(q, { ...box, peerId: undefined }, { limit, now })));
  return found;
}
