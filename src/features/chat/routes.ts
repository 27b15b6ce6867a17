// `/api/chat`: the rooms as the person at the hub sees them. No argument names the author here.
import { z } from 'zod';
import { defineRoute, integerText, type Route } from '../../http/route.ts';
import { HubError } from '../../kernel/errors.ts';
import { isPerson, type Principal } from '../../kernel/principal.ts';
import { MAX_NAME } from '../../kernel/words.ts';
import { byRoute } from '../../store/acting.ts';
import { lookUntil, MAX_WAIT_SECONDS } from './listening.ts';
import { postSchema, roomSchema, type Kind } from './post.ts';
import { canEnter, isRoomId, PERSON, ROOM_RULE, teamOf } from './rules.ts';
import type { ChatDoor } from './tools.ts';

const roomId = z.string().refine(isRoomId, ROOM_RULE).describe('team:<teamId>, or the id of another room.');
const pageSize = (fallback: number) =>
  integerText(z.int().min(1).max(500)).optional().describe(`${fallback} unless given.`);
const seqText = integerText(z.int().min(0).max(Number.MAX_SAFE_INTEGER));

/** `/api/chat`: the rooms as the person at the hub sees them, with plain text instead of envelopes. */
export function chatRoutes(door: ChatDoor): Route[] {
  return [roomsRoute(door), searchRoute(door), historyRoute(door), postRoute(door)];
}

function roomsRoute({ db, chat }: ChatDoor): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/chat/rooms',
    summary: 'List the rooms, by id.',
    tag: 'chat',
    scope: 'chat:read',
    query: z.object({
      limit: pageSize(100),
      cursor: z
        .string()
        .max(MAX_NAME + 'team:'.length)
        .optional()
        .describe('nextCursor of the page before.'),
    }),
    response: z.object({ rooms: z.array(roomSchema), nextCursor: z.string().optional() }),
    async handler({ query: { limit = 100, cursor } }, { who }) {
      const found = await db.read((q) => chat.rooms(q, who, { after: cursor, limit: limit + 1 }));
      const rooms = found.slice(0, limit);
      return { rooms, ...(found.length > limit && { nextCursor: rooms.at(-1)!.roomId }) };
    },
  });
}

function searchRoute({ db, chat }: ChatDoor): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/chat/posts',
    summary: 'Posts of all rooms that have these words, newest first; of the newest 5,000 of each room.',
    tag: 'chat',
    scope: 'chat:read',
    query: z.object({
      search: z.string().min(1).max(200),
      limit: pageSize(20),
      roomId: roomId.optional().describe('Of this room alone.'),
    }),
    response: z.object({ posts: z.array(postSchema) }),
    handler: async ({ query: { search, limit = 20, roomId: wanted } }, { who }) => ({
      posts: await db.read((q) => chat.search(q, who, { search, limit, roomId: wanted })),
    }),
  });
}

function historyRoute({ db, chat }: ChatDoor): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/chat/rooms/:roomId/posts',
    summary:
      'Read a room: the newest posts, older ones with before, or what follows after a seq, waiting for it if asked.',
    tag: 'chat',
    scope: 'chat:read',
    refusals: ['not_found'],
    params: z.object({ roomId }),
    query: z.object({
      limit: pageSize(50),
      before: seqText.optional().describe('Posts before this seq, newest first.'),
      after: seqText.optional().describe('Posts after this seq, oldest first.'),
      waitSeconds: integerText(z.int().min(0).max(MAX_WAIT_SECONDS))
        .optional()
        .describe('With after: wait this long for a post.'),
    }),
    response: z.object({
      room: roomSchema,
      posts: z.array(postSchema),
      nextCursor: z.int().optional().describe('before (or after) of the next page; absent on the last.'),
    }),
    async handler({ params, query: { limit = 50, before, after, waitSeconds = 0 } }, { who, signal }) {
      if (before !== undefined && after !== undefined)
        throw new HubError('invalid', 'Ask for posts before or after a seq, not both.');
      if (waitSeconds > 0 && after === undefined)
        throw new HubError('invalid', 'waitSeconds needs after: the seq to wait beyond.');
      const request = { roomId: params.roomId, before, after, limit: limit + 1 };
      const { room, posts } = await lookUntil(
        db.feed,
        { roomId: params.roomId, waitSeconds, signal },
        async () => {
          const answer = await db.read((q) => chat.history(q, who, request));
          return { answer, isEnough: answer.posts.length > 0 };
        },
      );
      const shown = posts.slice(0, limit);
      return { room, posts: shown, ...(posts.length > limit && { nextCursor: shown.at(-1)!.seq }) };
    },
  });
}

function postRoute({ acting, chat }: ChatDoor): Route {
  return defineRoute({
    method: 'POST',
    path: '/api/chat/rooms/:roomId/posts',
    summary: 'Say something: as the person at the hub, or as the agent the credential belongs to.',
    tag: 'chat',
    scope: 'chat:write',
    status: 201,
    refusals: ['too_large', 'limited'],
    params: z.object({ roomId }),
    body: z.strictObject({ text: z.string().describe('Up to 16 KB.') }),
    response: z.object({ post: postSchema, mentioned: z.array(z.string()) }),
    async handler({ params, body }, { who }) {
      if (!canEnter(who.bound, params.roomId))
        throw new HubError('not_found', `not found: room ${params.roomId}`);
      const voice = voiceOf(who);
      const draft = {
        roomId: params.roomId,
        teamId: teamOf(params.roomId) ?? who.bound.team ?? null,
        text: body.text,
        isBound: who.bound.agent !== undefined && who.bound.team !== undefined,
        asserted: false,
        ...voice,
      };
      const { post, mentioned } = await acting.change(byRoute(who, 'post'), (tx) => chat.post(tx, draft));
      return { post, mentioned: [...mentioned] };
    },
  });
}

/** No argument names the author here: a credential does, and without one it is the person at this machine. */
function voiceOf(who: Principal): Readonly<{ author: string; kind: Kind }> {
  if (who.bound.agent !== undefined) return { author: who.bound.agent, kind: 'peer' };
  if (isPerson(who)) return { author: PERSON, kind: 'user' };
  throw new HubError(
    'forbidden',
    'This caller has no voice in a room: it is neither an agent nor the person at the hub.',
  );
}
