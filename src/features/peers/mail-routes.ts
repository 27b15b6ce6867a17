// Mail over HTTP: sending, fetching, acking. A message counts as delivered when it was handed out, not
// before.
import { z } from 'zod';
import { defineRoute, integerText, type Route } from '../../http/route.ts';
import { HubError } from '../../kernel/errors.ts';
import { byRoute } from '../../store/acting.ts';
import * as input from './inputs.ts';
import { messageSchema, type PeerMessage } from './message.ts';
import { partyOf } from './rules.ts';
import { requirePeers, senderOf, type PeersHouse } from './ready.ts';

const mailbox = z.object({ peerId: input.peerId });
const place = { tag: 'peers', refusals: ['not_found', 'forbidden', 'unavailable'] } as const;
const page = {
  limit: integerText(input.limit).optional().describe('100 unless given.'),
  cursor: input.cursor.optional().describe('nextCursor of the page before.'),
};
const pageSchema = z.object({
  messages: z.array(messageSchema),
  count: z.int(),
  nextCursor: z.string().optional(),
});

/** As many as a mailbox of the original held: its clients expect one drain to empty it. */
const DRAINED = 256;

export function mailRoutes(house: PeersHouse): Route[] {
  return [...sendRoutes(house), ...fetchRoutes(house), ...listRoutes(house)];
}

function sendRoutes(house: PeersHouse): Route[] {
  const { acting } = house;
  return [
    defineRoute({
      ...place,
      method: 'POST',
      path: '/v1/peers/:peerId/messages',
      summary:
        'Send a message to a session or to an agent. It is queued when this answers, and delivered when it is fetched.',
      scope: 'peers:write',
      refusals: ['not_found', 'conflict', 'too_large', 'limited', 'unavailable'],
      params: mailbox,
      body: input.newMessage,
      response: messageSchema,
      async handler({ params, body }, { who }) {
        const peers = requirePeers(house);
        return acting.change(senderOf(byRoute(who, 'peers'), body.from_peer), (tx) =>
          peers.send(tx, who, params.peerId, input.toLetter(body)),
        );
      },
    }),
    defineRoute({
      ...place,
      method: 'POST',
      path: '/v1/peers/broadcast',
      summary: "Send a message to everybody else in the sender's circle.",
      scope: 'peers:write',
      refusals: ['too_large', 'limited', 'unavailable'],
      body: input.newBroadcast,
      response: z.object({
        delivered_to: z.int().describe('Mailboxes it was put into.'),
        message_ids: z.array(z.string()),
      }),
      async handler({ body }, { who }) {
        const peers = requirePeers(house);
        const sent = await acting.change(senderOf(byRoute(who, 'peers'), body.from_peer), (tx) =>
          peers.broadcast(tx, who, input.toLetter(body)),
        );
        return { delivered_to: sent.length, message_ids: sent.map(({ id }) => id) };
      },
    }),
  ];
}

function fetchRoutes(house: PeersHouse): Route[] {
  const { db, acting } = house;
  return [
    defineRoute({
      ...place,
      method: 'GET',
      changes: true,
      path: '/v1/peers/:peerId/messages',
      summary:
        'Fetch the mail. Fetching counts as acknowledging, unless ack=1 asks for a lease; peek=1 only looks.',
      scope: 'peers:write',
      params: mailbox,
      query: z.object({
        peek: z.string().optional().describe('Any value: look without fetching.'),
        ack: z
          .enum(['0', '1'])
          .optional()
          .describe('1: the mail comes again after its lease unless it is acked.'),
        lease_seconds: integerText(input.leaseSeconds).optional().describe('With ack=1; 60 unless given.'),
        limit: integerText(input.limit).optional().describe(`${DRAINED} unless given.`),
        circle: input.circle.optional(),
        team: input.team.optional(),
      }),
      response: z.object({
        peer_id: z.string(),
        messages: z.array(messageSchema),
        count: z.int(),
        peek: z.boolean(),
        waiting: z.int().describe('Messages of this mailbox that are not acked yet.'),
      }),
      async handler({ params, query }, { who }) {
        const peers = requirePeers(house);
        const { limit = DRAINED, lease_seconds: lease, circle, team } = query;
        if (lease !== undefined && query.ack !== '1')
          throw new HubError('invalid', 'lease_seconds needs ack=1.');
        const peek = query.peek !== undefined && query.peek !== '';
        const box = { id: params.peerId, circle, team };
        const leaseMs = query.ack === '1' ? (lease ?? input.DEFAULT_LEASE_SECONDS) * 1000 : undefined;
        const { messages, waiting } = peek
          ? await db.read((q) => peers.peek(q, who, box, limit))
          : await acting.change(byRoute(who, 'peers'), (tx) => peers.drain(tx, who, box, { limit, leaseMs }));
        return { peer_id: params.peerId, messages, count: messages.length, peek, waiting };
      },
    }),
    defineRoute({
      ...place,
      method: 'POST',
      path: '/v1/peers/:peerId/messages/ack',
      summary: 'Say that messages arrived. Every id is accounted for; acking twice changes nothing.',
      scope: 'peers:write',
      params: mailbox,
      body: z.strictObject({
        ids: z.array(input.messageId).min(1).max(500),
        circle: input.circle.optional(),
        team: input.team.optional(),
      }),
      response: z.object({
        acked: z.array(z.string()),
        already: z.array(z.string()),
        expired: z.array(z.string()),
        unknown: z.array(z.string()),
      }),
      async handler({ params, body }, { who }) {
        const peers = requirePeers(house);
        return acting.change(byRoute(who, 'peers'), (tx) =>
          peers.ack(tx, who, { id: params.peerId, circle: body.circle, team: body.team }, body.ids),
        );
      },
    }),
  ];
}

function listRoutes(house: PeersHouse): Route[] {
  const { db } = house;
  return [
    defineRoute({
      ...place,
      method: 'GET',
      path: '/v1/peers/messages/:messageId',
      summary: 'The receipt of a message: queued, delivered, acked or expired, and when.',
      scope: 'peers:read',
      params: z.object({ messageId: input.messageId }),
      response: messageSchema,
      async handler({ params }, { who }) {
        const peers = requirePeers(house);
        return db.read((q) => peers.message(q, who, params.messageId));
      },
    }),
    defineRoute({
      ...place,
      method: 'GET',
      path: '/v1/peers/:peerId/sent',
      summary: 'What an agent has sent, newest first, each with its state.',
      scope: 'peers:read',
      params: mailbox,
      query: z.object({ ...page, circle: input.circle.optional(), team: input.team.optional() }),
      response: pageSchema,
      async handler({ params, query: { limit = 100, cursor, circle, team } }, { who }) {
        const peers = requirePeers(house);
        const before = input.decodeCursor(cursor);
        return pageOf(
          await db.read(async (q) => {
            const sender = await peers.reader(q, who, { id: params.peerId, circle, team });
            return peers.sent(q, sender, { before, limit: limit + 1 });
          }),
          limit,
        );
      },
    }),
    defineRoute({
      ...place,
      method: 'GET',
      path: '/v1/peers/dead-letters',
      summary:
        'Messages that ran out of time before anyone acked them, newest first; for an agent those it sent or should have got.',
      scope: 'peers:read',
      query: z.object({ ...page, circle: input.circle.optional(), agent_id: input.circle.optional() }),
      response: pageSchema,
      async handler({ query: { limit = 100, cursor, circle, agent_id: toAgent } }, { who }) {
        const peers = requirePeers(house);
        const request = {
          circle,
          toAgent,
          party: partyOf(who),
          before: input.decodeCursor(cursor),
          limit: limit + 1,
        };
        return pageOf(await db.read((q) => peers.deadLetters(q, request)), limit);
      },
    }),
  ];
}

function pageOf(found: readonly PeerMessage[], limit: number): z.input<typeof pageSchema> {
  const messages = found.slice(0, limit);
  return {
    messages,
    count: messages.length,
    ...(found.length > limit && { nextCursor: input.encodeCursor(messages.at(-1)!) }),
  };
}
