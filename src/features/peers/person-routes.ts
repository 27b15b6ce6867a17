import { z } from 'zod';
import { defineRoute, integerText, type Route } from '../../http/route.ts';
import { HubError } from '../../kernel/errors.ts';
import { isPerson, type Principal } from '../../kernel/principal.ts';
import { byRoute } from '../../store/acting.ts';
import * as input from './inputs.ts';
import { messageSchema } from './message.ts';
import { peerSchema } from './peer.ts';
import { requirePeers, type PeersHouse } from './ready.ts';

const mailPageSchema = z.object({
  messages: z.array(messageSchema),
  peers: z.array(peerSchema),
  nextCursor: z.string().optional(),
});
export type MailPage = z.infer<typeof mailPageSchema>;

/** `/api/mail`: all mail between peers with its receipts, for the person at the hub. Looking fetches nothing for anybody. */
export function personRoutes(house: PeersHouse): Route[] {
  const { db, acting } = house;
  return [
    defineRoute({
      method: 'GET',
      path: '/api/mail',
      summary: 'Mail between peers, newest first, each with its receipt; and who is registered.',
      tag: 'peers',
      scope: 'peers:read',
      refusals: ['unavailable'],
      query: z.object({
        limit: integerText(input.limit).optional().describe('100 unless given.'),
        cursor: input.cursor.optional().describe('nextCursor of the page before.'),
        state: z.enum(['expired']).optional().describe('Only what nobody fetched in time.'),
      }),
      response: mailPageSchema,
      async handler({ query: { limit = 100, cursor, state } }, { who }) {
        requirePerson(who);
        const peers = requirePeers(house);
        const page = { before: input.decodeCursor(cursor), limit: limit + 1 };
        const { found, registered } = await db.read(async (q) => ({
          found: state === 'expired' ? await peers.allDead(q, page) : await peers.all(q, page),
          registered: await peers.list(q, who, {}),
        }));
        const messages = found.slice(0, limit);
        const nextCursor = found.length > limit ? input.encodeCursor(messages.at(-1)!) : undefined;
        return { messages, peers: registered, ...(nextCursor !== undefined && { nextCursor }) };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/mail',
      summary: 'Write to an agent as the person at the hub.',
      tag: 'peers',
      scope: 'peers:write',
      status: 201,
      refusals: ['not_found', 'conflict', 'too_large', 'limited', 'unavailable'],
      body: z.strictObject({
        to: input.peerId,
        team: input.team.optional().describe('Needed only when several teams have an agent of that name.'),
        text: z.string().min(1),
        replyTo: input.messageId.optional(),
      }),
      response: messageSchema,
      async handler({ body: { to, ...letter } }, { who }) {
        requirePerson(who);
        const peers = requirePeers(house);
        return acting.change(byRoute(who, 'mail'), (tx) => peers.send(tx, who, to, letter));
      },
    }),
  ];
}

function requirePerson(who: Principal): void {
  if (isPerson(who) && who.bound.team === undefined) return;
  throw new HubError('forbidden', 'All mail is for the person at the hub; an agent has its own mailbox.');
}
