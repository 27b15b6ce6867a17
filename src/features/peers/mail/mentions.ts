import type { Tx } from '../../../store/database.ts';
import type { Mention } from '../../chat/chat.ts';
import { presentIn, type Sender } from '../addresses.ts';
import { post } from './mail.ts';
import { countWaiting } from '../rows/mailbox.ts';
import { mailboxesNamed } from '../rows/messages.ts';
import { DEFAULT_CIRCLE, type MailboxKey, MAX_WAITING, NO_TEAM } from '../rules.ts';

/**
 * A post that names an agent reaches its inbox as well, in the post's own transaction. Names nobody goes by are no
 * mentions, and a full inbox must not silence the room: both are left out of the answer. What is said in the room of a
 * team stays there: a mention means somebody of that team, or of none; only the person at the hub reaches further.
 */
export async function deliverMention(tx: Tx, mention: Mention): Promise<string[]> {
  const sender = await senderOf(tx, mention);
  const reached: string[] = [];
  // Mailboxes are locked in one order by all posts, so that two of them cannot wait for each other.
  for (const agentId of mention.names.toSorted()) {
    const homes = await homesOf(tx, agentId, mention);
    // Who has spoken in the room can read the post anyway; to others it goes like any message, within the author's circles.
    const isMember = mention.members.includes(agentId);
    const { circles } = sender;
    const inReach = isMember || !circles ? homes : homes.filter(({ circle }) => circles.includes(circle));
    const known = (await presentIn(tx, inReach))[0] ?? inReach[0];
    const box = known ?? (isMember ? addressIn(mention, agentId) : undefined);
    if (box === undefined || (await countWaiting(tx, box, tx.now)) >= MAX_WAITING) continue;
    const letter = { text: mention.text, correlationId: mention.roomId };
    await post(tx, { sender, address: { ...box, peer: undefined } }, letter);
    reached.push(agentId);
  }
  return reached;
}

async function senderOf(tx: Tx, mention: Mention): Promise<Sender> {
  const { from: agentId, isPerson, asserted, mayWake } = mention;
  const waking = mayWake && { mayWake };
  if (isPerson) return { team: NO_TEAM, agentId, peerId: null, circles: undefined, asserted, ...waking };
  const homes = await homesOf(tx, agentId, mention);
  const circles = homes.length === 0 ? [DEFAULT_CIRCLE] : homes.map(({ circle }) => circle);
  const team = homes[0]?.team ?? mention.teamId ?? NO_TEAM;
  return { team, agentId, peerId: null, circles, asserted, ...waking };
}

/** The mailboxes of a name in the team of the room, else of no team; for the person at the hub else those of all. */
async function homesOf(
  tx: Tx,
  agentId: string,
  { teamId, isPerson }: Mention,
): Promise<readonly MailboxKey[]> {
  const all = await mailboxesNamed(tx, agentId);
  const near = [teamId ?? NO_TEAM, NO_TEAM].map((each) => all.filter(({ team }) => team === each));
  return near.find((some) => some.length > 0) ?? (isPerson ? all : []);
}

/** Where who has spoken and was never written to gets its mail. */
function addressIn({ teamId }: Mention, agentId: string): MailboxKey {
  return { team: teamId ?? NO_TEAM, circle: DEFAULT_CIRCLE, agentId };
}
