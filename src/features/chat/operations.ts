// The two documented tools of the team rooms; and `/api/chat`, the rooms as the person at the hub sees them: with plain
// text instead of envelopes, and no argument that names the author.
import { z } from 'zod';
import { isName, MAX_NAME, NAME_RULE } from '../../kernel/words.ts';
import { change, look, work } from '../../operation/operation.ts';
import type { ChatDesk, ChatView } from './chat.ts';
import { MAX_WAIT_SECONDS } from './look-until.ts';
import { newsSchema, postedSchema, postSchema, roomSchema } from './post.ts';
import { isRoomId, ROOM_RULE } from './rules.ts';
import type { Talk } from './talk.ts';

const roomId = z.string().refine(isRoomId, ROOM_RULE).describe('team:<teamId>, or the id of another room.');
const pageSize = z.int().min(1).max(500).optional();
const seq = z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional();
const waitSeconds = z.int().min(0).max(MAX_WAIT_SECONDS).optional();

const listRooms = look({
  name: 'list_rooms',
  summary: 'List the rooms, by id.',
  scope: 'chat:read',
  input: {
    limit: pageSize.describe('100 unless given.'),
    cursor: z
      .string()
      .max(MAX_NAME + 'team:'.length)
      .optional()
      .describe('nextCursor of the page before.'),
  },
  output: z.object({ rooms: z.array(roomSchema), nextCursor: z.string().optional() }),
  route: 'GET /api/chat/rooms',
  async run(view: ChatView, { limit = 100, cursor }) {
    const found = await view.rooms({ after: cursor, limit: limit + 1 });
    const rooms = found.slice(0, limit);
    return { rooms, ...(found.length > limit && { nextCursor: rooms.at(-1)!.roomId }) };
  },
});

const searchPosts = look({
  name: 'search_posts',
  summary:
    'Posts that a query finds, newest first, what the hub told last; of the newest 5,000 of each room.',
  scope: 'chat:read',
  input: {
    search: z
      .string()
      .min(1)
      .max(500)
      .describe('Words, "phrases", -word, agent:codex, project:web, created<7d.'),
    limit: pageSize.describe('20 unless given.'),
    roomId: roomId.optional().describe('Of this room alone.'),
  },
  output: z.object({ posts: z.array(postSchema) }),
  route: 'GET /api/chat/posts',
  run: async (view: ChatView, { limit = 20, ...asked }) => ({
    posts: await view.search({ ...asked, limit }),
  }),
});

const readRoom = work({
  name: 'read_room',
  summary:
    'Read a room: the newest posts, older ones with before, or what follows after a seq, waiting for it if asked.',
  scope: 'chat:read',
  effect: 'read',
  input: {
    roomId,
    limit: pageSize.describe('50 unless given.'),
    before: seq.describe('Posts before this seq, newest first.'),
    after: seq.describe('Posts after this seq, oldest first.'),
    waitSeconds: waitSeconds.describe('With after: wait this long for a post.'),
  },
  output: z.object({
    room: roomSchema,
    posts: z.array(postSchema),
    nextCursor: z.int().optional().describe('before (or after) of the next page; absent on the last.'),
  }),
  refusals: ['not_found'],
  route: 'GET /api/chat/rooms/:roomId/posts',
  async run(talk: Talk, { limit = 50, waitSeconds: wait = 0, ...asked }, { who, signal }) {
    const { room, posts } = await talk.read(who, { ...asked, limit, waitSeconds: wait }, signal);
    const shown = posts.slice(0, limit);
    return { room, posts: shown, ...(posts.length > limit && { nextCursor: shown.at(-1)!.seq }) };
  },
});

const say = change({
  name: 'say',
  summary: 'Say something: as the person at the hub, or as the agent the credential belongs to.',
  scope: 'chat:write',
  input: { roomId, text: z.string().describe('Up to 16 KB.') },
  output: z.object({ post: postSchema, mentioned: z.array(z.string()) }),
  refusals: ['not_found', 'too_large', 'limited'],
  route: 'POST /api/chat/rooms/:roomId/posts',
  status: 201,
  async run(desk: ChatDesk, said) {
    const { post, mentioned } = await desk.say(said);
    return { post, mentioned: [...mentioned] };
  },
});

const place = {
  authorAgentId: z.string().optional().describe('Who you are; ignored when your connection says so.'),
  teamId: z.string().optional().describe('Your team; ignored when your connection says so.'),
  roomId: z
    .string()
    .optional()
    .describe("Another room than your team's, team:<teamId>; ignored when your connection is bound."),
};

const teamChatPost = work({
  name: 'team_chat_post',
  summary:
    'Posts a message to your team room under your name. The board stays the truth: a post tells, it changes nothing.',
  scope: 'chat:write',
  effect: 'state',
  input: {
    text: z.string().describe('Up to 16 KB.'),
    ...place,
    idempotencyKey: z
      .string()
      .refine(isName, NAME_RULE)
      .optional()
      .describe('Repeat a call with the same key and it is posted once.'),
  },
  output: postedSchema,
  tool: { title: 'Post to the team room' },
  async run(talk: Talk, args, { who }) {
    const { post, mentioned } = await talk.speak(who, args);
    const { seq: number, roomId: room, authorAgentId } = post;
    return {
      posted: { seq: number, roomId: room, authorAgentId },
      ...(mentioned.length > 0 && { mentioned: [...mentioned] }),
    };
  },
});

const teamChatSubscribe = work({
  name: 'team_chat_subscribe',
  summary:
    'Reads what others posted since a cursor, oldest first, each wrapped as evidence tagged isUser=false. Your own posts are left out.',
  scope: 'chat:read',
  effect: 'read',
  input: {
    sinceSeq: seq.describe('nextSeq of your last read; 0 unless given.'),
    limit: pageSize.describe('Posts at once, 100 unless given; nextSeq leads to the rest.'),
    waitSeconds: waitSeconds.describe('Wait this long for something new; 0 unless given.'),
    ...place,
  },
  output: newsSchema,
  tool: { title: 'Read the team room', carries: ['wrapped'] },
  run: (talk: Talk, { sinceSeq = 0, limit = 100, waitSeconds: wait = 0, ...named }, { who, signal }) =>
    talk.listen(who, { ...named, sinceSeq, limit, waitSeconds: wait }, signal),
});

export const chatOperations = [
  listRooms,
  searchPosts,
  readRoom,
  say,
  teamChatPost,
  teamChatSubscribe,
] as const;
