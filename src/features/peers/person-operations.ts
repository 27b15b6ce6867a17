import { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import { change, look } from '../../operation/operation.ts';
import * as input from './inputs.ts';
import { messageSchema } from './mail/message.ts';
import { peerSchema } from './peer.ts';
import type { PeerDesk, PeerView } from './peers.ts';

/** `/api/mail`: all mail between peers with its receipts, for the person at the hub. Looking fetches nothing for anybody. */
const listMail = look({
  name: 'list_mail',
  summary: 'Mail between peers, newest first, each with its receipt; and who is registered.',
  scope: 'peers:read',
  refusals: ['unavailable'],
  input: {
    ...input.page,
    state: z.enum(['expired']).optional().describe('Only what nobody fetched in time.'),
    q: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('Words, "phrases", -word, agent:codex, project:web, created<7d. Not with state.'),
  },
  output: z.object({
    messages: z.array(messageSchema),
    peers: z.array(peerSchema),
    nextCursor: z.string().optional(),
  }),
  route: 'GET /api/mail',
  async run(view: PeerView, { state, ...page }) {
    if (state !== undefined && page.q !== undefined)
      throw new HubError('invalid', 'Say state or q, not both.');
    const found = await (state === 'expired' ? view.allDead(page) : view.all(page));
    return { ...found, peers: await view.list({}) };
  },
});

const sendMail = change({
  name: 'send_mail',
  summary: 'Write to an agent as the person at the hub.',
  scope: 'peers:write',
  status: 201,
  refusals: ['not_found', 'conflict', 'too_large', 'limited', 'unavailable'],
  input: {
    to: input.peerId,
    team: input.team.optional(),
    text: z.string().min(1),
    replyTo: input.messageId.optional(),
  },
  output: messageSchema,
  route: 'POST /api/mail',
  run: (desk: PeerDesk, { to, ...letter }) => desk.sendAsPerson(to, letter),
});

export const personOperations = [listMail, sendMail] as const;
