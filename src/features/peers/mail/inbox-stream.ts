import { z } from 'zod';
import { defineStream, integerText, type Route } from '../../../http/route.ts';
import { HubError } from '../../../kernel/errors.ts';
import * as input from '../inputs.ts';
import type { Peers } from '../peers.ts';

const AT_ONCE = 50;

/**
 * The mail as it comes. What is sent counts as delivered under a lease; it comes again when nobody acks it in time.
 * `Last-Event-ID` is the seq of the last message that was seen: whatever came after is due at once.
 */
export function inboxStream(peers: Peers): Route {
  return defineStream({
    method: 'GET',
    path: '/v1/peers/:peerId/inbox',
    summary:
      'Follow the mail of a session or an agent. Ack what arrives; the rest comes again after its lease.',
    tag: 'peers',
    scope: 'peers:write',
    refusals: ['not_found', 'conflict', 'unavailable'],
    params: z.object({ peerId: input.peerId }),
    query: z.object({
      circle: input.circle.optional(),
      team: input.team.optional(),
      lease_seconds: integerText(input.leaseSeconds).optional().describe('60 unless given.'),
    }),
    async open({ params, query: { circle, team, lease_seconds: lease } }, { who, lastEventId }) {
      const seen = lastEventId === undefined ? undefined : readSeq(lastEventId);
      const call = { who, via: 'route' } as const;
      const reader = await peers.look(call, (view) => view.reader({ id: params.peerId, circle, team }));
      if (seen !== undefined) await peers.change(call, (desk) => desk.resumeAfter(reader, seen));
      const handing = { limit: AT_ONCE, leaseMs: input.leaseMs(lease) };
      return async (sink, signal) => {
        while (await peers.awaitMail(reader, signal)) {
          for (const message of await peers.change(call, (desk) => desk.handOut(reader, handing))) {
            if (!sink.send({ id: message.seq, event: 'message', data: message })) return;
            // However long the messages are, no more of them wait in memory than the reader can take.
            await sink.drained();
          }
        }
      };
    },
  });
}

function readSeq(lastEventId: string): number {
  if (/^\d{1,15}$/.test(lastEventId)) return Number(lastEventId);
  throw new HubError('invalid', 'Last-Event-ID must be the seq of a message: a whole number.', {
    lastEventId,
  });
}
