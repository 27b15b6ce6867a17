import type { Tx } from '../../store/database.ts';
import { homesOf } from './addresses.ts';
import { post } from './mail.ts';
import { MAX_WAITING } from './rules.ts';
import { countWaiting } from './rows/mailbox.ts';
import { listPeers } from './rows/peers.ts';

export type Mention = Readonly<{
  names: readonly string[];
  members: readonly string[];
  from: string;
  asserted: boolean;
  roomId: string;
  text: string;
}>;

/**
 * A post that names an agent reaches its inbox as well, in the post's own transaction. Names nobody goes by are no
 * mentions, and a full inbox must not silence the room: both are left out of the answer.
 */
export async function deliverMention(tx: Tx, mention: Mention): Promise<string[]> {
  const registered = new Set((await listPeers(tx, { agentIds: mention.names })).map(({ agentId }) => agentId));
  const known = mention.names.filter((name) => registered.has(name) || mention.members.includes(name)).sort();
  const sender = { agentId: mention.from, peerId: null, circles: undefined, asserted: mention.asserted };
  const reached: string[] = [];
  for (const agentId of known) {
    const circle = (await homesOf(tx, agentId))[0]!;
    if ((await countWaiting(tx, circle, agentId, tx.now)) >= MAX_WAITING) continue;
    await post(tx, sender, { circle, agentId, peer: undefined }, { text: mention.text, correlationId: mention.roomId });
    reached.push(agentId);
  }
  return reached;
}
