import type { Tx } from '../../store/database.ts';
import type { Mention } from '../chat/chat.ts';
import { homesOf, presentIn, type Sender } from './addresses.ts';
import { post } from './mail.ts';
import { countWaiting } from './rows/mailbox.ts';
import { circlesOf } from './rows/messages.ts';
import { MAX_WAITING } from './rules.ts';

/**
 * A post that names an agent reaches its inbox as well, in the post's own transaction. Names nobody goes by are no
 * mentions, and a full inbox must not silence the room: both are left out of the answer.
 */
export async function deliverMention(tx: Tx, mention: Mention): Promise<string[]> {
  const circles = mention.isPerson ? undefined : await homesOf(tx, mention.from);
  const sender: Sender = { agentId: mention.from, peerId: null, circles, asserted: mention.asserted };
  const reached: string[] = [];
  // Mailboxes are locked in one order by all posts, so that two of them cannot wait for each other.
  for (const agentId of mention.names.toSorted()) {
    // Who has spoken in the room can read the post anyway; to others it goes like any message, within the author's circles.
    const homes = mention.members.includes(agentId)
      ? await homesOf(tx, agentId)
      : await homesInReach(tx, agentId, sender);
    const circle = (await presentIn(tx, agentId, homes))[0] ?? homes[0];
    if (circle === undefined || (await countWaiting(tx, circle, agentId, tx.now)) >= MAX_WAITING) continue;
    await post(
      tx,
      sender,
      { circle, agentId, peer: undefined },
      { text: mention.text, correlationId: mention.roomId },
    );
    reached.push(agentId);
  }
  return reached;
}

/** None when nobody goes by that name. */
async function homesInReach(tx: Tx, agentId: string, { circles }: Sender): Promise<readonly string[]> {
  const all = await circlesOf(tx, agentId);
  return circles ? all.filter((circle) => circles.includes(circle)) : all;
}
