import { z } from 'zod';
import type { StoredMessage } from '../rows/messages.ts';
import { NO_TEAM } from '../rules.ts';
import { STATES, TYPES } from '../words.ts';

const instant = z.iso.datetime();

export const messageSchema = z.object({
  id: z.string(),
  type: z.enum(TYPES),
  from_peer: z.string().describe('The sending peer, or the name of a sender who is none.'),
  from_agent: z.string(),
  from_team: z.string().optional().describe("The sender's team, shown to the person at the hub."),
  asserted: z.boolean().describe('The sender was named by an argument, not proven by a credential.'),
  to_peer: z.string().optional(),
  to_agent: z.string(),
  to_team: z.string().optional().describe("The recipient's team, shown to the person at the hub."),
  circle: z.string(),
  seq: z.int().describe('Position in the mailbox: 1, 2, 3 … without gaps.'),
  text: z.string(),
  correlation_id: z.string().optional(),
  thread_id: z.string(),
  thread_seq: z.int().describe('Position in the thread: 1, 2, 3 … without gaps.'),
  reply_to: z.string().optional(),
  state: z.enum(STATES).describe('queued, then delivered when it was fetched, then acked or expired.'),
  deliveries: z.int().describe('How often it was handed out; more than once when nobody acked it in time.'),
  timestamp: instant,
  expires_at: instant,
  delivered_at: instant.optional(),
  acked_at: instant.optional(),
});
/** Every id is accounted for. */
export const ackedSchema = z.object({
  acked: z.array(z.string()),
  already: z.array(z.string()),
  expired: z.array(z.string()),
  unknown: z.array(z.string()),
});
export type Acked = z.infer<typeof ackedSchema>;

export type PeerMessage = z.infer<typeof messageSchema>;

/** As the person at the hub sees it, who has to tell namesakes apart. */
export function presentWithTeams(message: StoredMessage, now: number): PeerMessage {
  return {
    ...presentMessage(message, now),
    ...(message.fromTeam !== NO_TEAM && { from_team: message.fromTeam }),
    ...(message.team !== NO_TEAM && { to_team: message.team }),
  };
}

/** Expiry is decided when reading: a message past its time is expired, whatever its row still says. */
export function presentMessage(message: StoredMessage, now: number): PeerMessage {
  const isWaiting = message.state === 'queued' || message.state === 'delivered';
  return {
    id: message.id,
    type: message.type,
    from_peer: message.fromPeer ?? message.fromAgent,
    from_agent: message.fromAgent,
    asserted: message.asserted,
    ...(message.toPeer !== null && { to_peer: message.toPeer }),
    to_agent: message.toAgent,
    circle: message.circle,
    seq: message.seq,
    text: message.text,
    ...(message.correlationId !== null && { correlation_id: message.correlationId }),
    thread_id: message.threadId,
    thread_seq: message.threadSeq,
    ...(message.replyTo !== null && { reply_to: message.replyTo }),
    state: isWaiting && message.expiresAt <= now ? 'expired' : message.state,
    deliveries: message.deliveries,
    timestamp: new Date(message.createdAt).toISOString(),
    expires_at: new Date(message.expiresAt).toISOString(),
    ...(message.deliveredAt !== null && { delivered_at: new Date(message.deliveredAt).toISOString() }),
    ...(message.ackedAt !== null && { acked_at: new Date(message.ackedAt).toISOString() }),
  };
}
