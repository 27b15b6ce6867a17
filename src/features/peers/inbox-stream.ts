import { z } from 'zod';
import { defineStream, integerText, type Producer, type Route } from '../../http/route.ts';
import { HubError } from '../../kernel/errors.ts';
import { byRoute } from '../../store/acting.ts';
import * as input from './inputs.ts';
import type { Peers } from './peers.ts';
import { requirePeers, type PeersHouse } from './ready.ts';
import type { MailReader } from './rows/mailbox.ts';
import { inboxSubject } from './rules.ts';

const AT_ONCE = 50;

/**
 * The mail as it comes. What is sent counts as delivered under a lease; it comes again when nobody acks it in time.
 * `Last-Event-ID` is the seq of the last message that was seen: whatever came after is due at once.
 */
export function inboxStream(house: PeersHouse): Route {
  const { db, acting } = house;
  return defineStream({
    method: 'GET',
    path: '/v1/peers/:peerId/inbox',
    summary:
      'Follow the mail of a session or an agent. Ack what arrives; the rest comes again after its lease.',
    tag: 'peers',
    scope: 'peers:write',
    refusals: ['not_found', 'unavailable'],
    params: z.object({ peerId: input.peerId }),
    query: z.object({
      circle: input.circle.optional(),
      team: input.team.optional(),
      lease_seconds: integerText(input.leaseSeconds).optional().describe('60 unless given.'),
    }),
    async open({ params, query }, { who, lastEventId }) {
      const peers = requirePeers(house);
      const seen = lastEventId === undefined ? undefined : readSeq(lastEventId);
      const call = byRoute(who, 'inbox');
      const reader = await db.read((q) =>
        peers.reader(q, who, { id: params.peerId, circle: query.circle, team: query.team }),
      );
      if (seen !== undefined) await acting.change(call, (tx) => peers.resumeAfter(tx, reader, seen));
      const leaseMs = (query.lease_seconds ?? input.DEFAULT_LEASE_SECONDS) * 1000;
      return produce(house, peers, reader, (limit) =>
        acting.change(call, (tx) => peers.handOut(tx, reader, limit, leaseMs)),
      );
    },
  });
}

type Fetch = (limit: number) => Promise<Awaited<ReturnType<Peers['handOut']>>>;

function produce({ db }: PeersHouse, peers: Peers, reader: MailReader, fetch: Fetch): Producer {
  return async (sink, signal) => {
    while (!signal.aborted) {
      if (!(await waitForMail())) return;
      for (const message of await fetch(AT_ONCE)) {
        if (!sink.send({ id: message.seq, event: 'message', data: message })) return;
        // However long the messages are, no more of them wait in memory than the reader can take.
        await sink.drained();
      }
    }

    /** False when the stream is over. Looks again when mail comes in and when something falls due without an event. */
    async function waitForMail(): Promise<boolean> {
      while (!signal.aborted) {
        const { isDue, next } = await db.read(async (q) => ({
          isDue: await peers.hasMail(q, reader),
          next: await peers.nextDue(q, reader),
        }));
        if (isDue) return true;
        const nextLook = next === undefined ? undefined : AbortSignal.timeout(Math.max(100, next - db.now()));
        try {
          await db.feed.until(
            inboxSubject(reader),
            async () => ((await db.read((q) => peers.hasMail(q, reader))) ? true : undefined),
            nextLook ? AbortSignal.any([signal, nextLook]) : signal,
          );
          return true;
        } catch (error) {
          if (!nextLook?.aborted && !signal.aborted) throw error;
        }
      }
      return false;
    }
  };
}

function readSeq(lastEventId: string): number {
  if (/^\d{1,15}$/.test(lastEventId)) return Number(lastEventId);
  throw new HubError('invalid', 'Last-Event-ID must be the seq of a message: a whole number.', {
    lastEventId,
  });
}
