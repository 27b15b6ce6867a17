import type { Principal } from '../../kernel/principal.ts';
import type { Tx } from '../../store/database.ts';
import { post } from './mail.ts';
import { countWaiting } from './rows/mailbox.ts';
import { DEFAULT_CIRCLE, homeTeam, MAX_WAITING, NO_TEAM, ownAgent, type Party } from './rules.ts';

/** What another room has to tell an agent, in the transaction in which it came about. */
export type AgentNotice = Party & Readonly<{ from: string; text: string }>;

/** Where a caller's own mail goes; undefined for who has no name. */
export function addressOf(who: Principal): Party | undefined {
  const agentId = ownAgent(who);
  return agentId === undefined ? undefined : { team: homeTeam(who), agentId };
}

/** False when the mailbox is full: whoever tells has to find another way. */
export async function deliverNotice(tx: Tx, { team, agentId, from, text }: AgentNotice): Promise<boolean> {
  const box = { team, circle: DEFAULT_CIRCLE, agentId };
  if ((await countWaiting(tx, box, tx.now)) >= MAX_WAITING) return false;
  // The author is named for what it is; the mailbox it is answered to is nobody's team.
  const sender = { team: NO_TEAM, agentId: from, peerId: null, circles: undefined, asserted: tx.actor.asserted };
  await post(tx, { sender, address: { ...box, peer: undefined } }, { text });
  return true;
}
