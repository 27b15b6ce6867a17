// Mail over HTTP: sending, fetching, acking. A message counts as delivered when it was handed out, not
// before.
import { z } from 'zod';
import { HubError } from '../../../kernel/errors.ts';
import { change, look, work } from '../../../operation/operation.ts';
import * as input from '../inputs.ts';
import { ackedSchema, messageSchema } from './message.ts';
import type { PeerDesk, Peers, PeerView } from '../peers.ts';
import { senderNamed } from '../rules.ts';

const refusals = ['not_found', 'conflict', 'unavailable'] as const;
const reading = { scope: 'peers:read', refusals } as const;
const writing = { scope: 'peers:write', refusals } as const;
const mailbox = { peerId: input.peerId };
const pageSchema = z.object({
  messages: z.array(messageSchema),
  count: z.int(),
  nextCursor: z.string().optional(),
});

/** As many as a mailbox of the original held: its clients expect one drain to empty it. */
const DRAINED = 256;

const send = change({
  name: 'send_message',
  summary:
    'Send a message to a session or to an agent. It is queued when this answers, and delivered when it is fetched.',
  scope: 'peers:write',
  refusals: ['not_found', 'conflict', 'too_large', 'limited', 'unavailable'],
  input: { ...mailbox, ...input.newMessage },
  isLoose: true,
  output: messageSchema,
  route: 'POST /v1/peers/:peerId/messages',
  agentOf: ({ from_peer: from }, who) => senderNamed(who, from),
  run: (desk: PeerDesk, { peerId, ...written }) => desk.send(peerId, input.toLetter(written)),
});

const broadcast = change({
  name: 'broadcast_message',
  summary: "Send a message to everybody else in the sender's circle.",
  scope: 'peers:write',
  refusals: ['not_found', 'conflict', 'too_large', 'limited', 'unavailable'],
  input: input.newBroadcast,
  isLoose: true,
  output: z.object({
    delivered_to: z.int().describe('Mailboxes it was put into.'),
    message_ids: z.array(z.string()),
  }),
  route: 'POST /v1/peers/broadcast',
  agentOf: ({ from_peer: from }, who) => senderNamed(who, from),
  async run(desk: PeerDesk, written) {
    const sent = await desk.broadcast(input.toLetter(written));
    return { delivered_to: sent.length, message_ids: sent.map(({ id }) => id) };
  },
});

const fetch = work({
  ...writing,
  name: 'fetch_messages',
  summary:
    'Fetch the mail. Fetching counts as acknowledging, unless ack=1 asks for a lease; peek=1 only looks.',
  effect: 'state',
  input: {
    ...mailbox,
    peek: z.string().optional().describe('Any value: look without fetching.'),
    ack: z
      .enum(['0', '1'])
      .optional()
      .describe('1: the mail comes again after its lease unless it is acked.'),
    lease_seconds: input.leaseSeconds.optional().describe('With ack=1; 60 unless given.'),
    limit: input.limit.optional().describe(`${DRAINED} unless given.`),
    circle: input.circle.optional(),
    team: input.team.optional(),
  },
  output: z.object({
    peer_id: z.string(),
    messages: z.array(messageSchema),
    count: z.int(),
    peek: z.boolean(),
    waiting: z.int().describe('Messages of this mailbox that are not acked yet.'),
  }),
  route: 'GET /v1/peers/:peerId/messages',
  async run(peers: Peers, { peerId, limit = DRAINED, circle, team, ...how }, { who, via }) {
    if (how.lease_seconds !== undefined && how.ack !== '1')
      throw new HubError('invalid', 'lease_seconds needs ack=1.');
    const peek = how.peek !== undefined && how.peek !== '';
    const box = { id: peerId, circle, team };
    const leaseMs = how.ack === '1' ? input.leaseMs(how.lease_seconds) : undefined;
    const { messages, waiting } = peek
      ? await peers.look({ who, via }, (view) => view.peek(box, limit))
      : await peers.change({ who, via }, (desk) => desk.drain(box, { limit, leaseMs }));
    return { peer_id: peerId, messages, count: messages.length, peek, waiting };
  },
});

const ack = change({
  ...writing,
  name: 'ack_messages',
  summary: 'Say that messages arrived. Every id is accounted for; acking twice changes nothing.',
  input: {
    ...mailbox,
    ids: input.messageIds,
    circle: input.circle.optional(),
    team: input.team.optional(),
  },
  output: ackedSchema,
  route: 'POST /v1/peers/:peerId/messages/ack',
  run: (desk: PeerDesk, { peerId: id, ids, circle, team }) => desk.ack({ id, circle, team }, ids),
});

const receipt = look({
  ...reading,
  name: 'show_message',
  summary: 'The receipt of a message: queued, delivered, acked or expired, and when.',
  input: { messageId: input.messageId },
  output: messageSchema,
  route: 'GET /v1/peers/messages/:messageId',
  run: (view: PeerView, { messageId }) => view.message(messageId),
});

const listSent = look({
  ...reading,
  name: 'list_sent',
  summary: 'What an agent has sent, newest first, each with its state.',
  input: { ...mailbox, ...input.page, circle: input.circle.optional(), team: input.team.optional() },
  output: pageSchema,
  route: 'GET /v1/peers/:peerId/sent',
  async run(view: PeerView, { peerId: id, circle, team, ...page }) {
    const found = await view.sent({ id, circle, team }, page);
    return { ...found, count: found.messages.length };
  },
});

const listDead = look({
  ...reading,
  name: 'list_dead_letters',
  summary:
    'Messages that ran out of time before anyone acked them, newest first; for an agent those it sent or should have got.',
  input: { ...input.page, circle: input.circle.optional(), agent_id: input.circle.optional() },
  output: pageSchema,
  route: 'GET /v1/peers/dead-letters',
  async run(view: PeerView, { circle, agent_id: toAgent, ...page }) {
    const found = await view.deadLetters({ circle, toAgent }, page);
    return { ...found, count: found.messages.length };
  },
});

export const mailOperations = [send, broadcast, fetch, ack, receipt, listSent, listDead] as const;
