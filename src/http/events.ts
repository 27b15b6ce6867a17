import { z } from 'zod';
import { HubError } from '../kernel/errors.ts';
import type { Event, Feed, Gap } from '../kernel/event.ts';
import { canSee } from '../kernel/visibility.ts';
import { defineStream, integerText, listText, type Route, type StreamMessage } from './route.ts';

/** `/api/events`: everything the caller may see, in commit order, resumable by one integer. */
export function eventsRoute(feed: Feed): Route {
  return defineStream({
    method: 'GET',
    path: '/api/events',
    summary:
      'Follow what happens. Resume with Last-Event-ID or since; a gap event tells that older ones are gone.',
    tag: 'hub',
    scope: 'events:read',
    query: z.object({
      since: integerText(z.int().min(0))
        .optional()
        .describe('Events after this sequence number; without it, only new ones.'),
      kinds: listText(100)
        .optional()
        .describe('Kinds separated by commas; task.* stands for every kind that begins with task.'),
    }),

    async open({ query }, { who, lastEventId }) {
      const head = await feed.head();
      const asked = lastEventId === undefined ? query.since : readCursor(lastEventId);
      const isWanted = kindFilter(query.kinds);
      return async (sink, signal) => {
        // A cursor beyond the head belongs to another history, e.g. from before a restore: say so and go on from here.
        if (asked !== undefined && asked > head) sink.send(gapMessage({ gapBefore: head + 1 }));
        const after = Math.min(asked ?? head, head);
        const deliver = (page: readonly (Event | Gap)[]) => {
          for (const item of page) {
            if ('gapBefore' in item) sink.send(gapMessage(item));
            else if (isWanted(item.kind) && canSee(who, item)) sink.send(eventMessage(item));
          }
          return sink.drained();
        };
        await feed.follow(after, deliver, signal);
      };
    },
  });
}

function readCursor(lastEventId: string): number {
  if (!/^\d{1,15}$/.test(lastEventId))
    throw new HubError('invalid', 'Last-Event-ID must be the id of an event: a whole number.', {
      lastEventId,
    });
  return Number(lastEventId);
}

function kindFilter(kinds: readonly string[] | undefined): (kind: string) => boolean {
  if (!kinds) return () => true;
  const exact = new Set(kinds);
  const prefixes = kinds.filter((kind) => kind.endsWith('.*')).map((kind) => kind.slice(0, -1));
  return (kind) => exact.has(kind) || prefixes.some((prefix) => kind.startsWith(prefix));
}

const messages = new WeakMap<Event, StreamMessage>();

/** One message per event, however many read it: the stream keeps the bytes of a message it has seen. */
function eventMessage(event: Event): StreamMessage {
  let message = messages.get(event);
  if (!message) messages.set(event, (message = { id: event.seq, data: event }));
  return message;
}

function gapMessage(gap: Gap): StreamMessage {
  return { id: gap.gapBefore - 1, event: 'gap', data: gap };
}
