import { quoteWords } from '../../kernel/envelope.ts';
import { HubError } from '../../kernel/errors.ts';
import type { Principal } from '../../kernel/principal.ts';
import { cleanWords } from '../../kernel/words.ts';
import type { Query, Tx } from '../../store/database.ts';
import type { ChatRoom, Kind, News, Post } from './post.ts';
import {
  authorsAmong,
  countPost,
  findRoom,
  forgetWindows,
  insertPost,
  listPosts,
  listRooms,
  readNews,
  takeSeq,
  type PostHistory,
  type NewsRequest,
  type RoomsRequest,
  type PostSearch,
  searchPosts,
} from './rows.ts';
import { canEnter, mentionsIn, roomOf, windowStart } from './rules.ts';

/** What one can do in a room. Methods that change something take the transaction; façades open it. */
export interface Chat {
  post(tx: Tx, draft: Draft): Promise<Readonly<{ post: Post; mentioned: readonly string[] }>>;
  /** What others said after a number, as evidence. A room nobody has spoken in is empty. */
  news(q: Query, request: NewsRequest): Promise<News>;
  rooms(q: Query, who: Principal, page: Omit<RoomsRequest, 'roomId'>): Promise<ChatRoom[]>;
  /** Refused as not found when nobody has spoken there or the caller may not enter. */
  history(
    q: Query,
    who: Principal,
    request: PostHistory,
  ): Promise<Readonly<{ room: ChatRoom; posts: Post[] }>>;
  /** Posts with all these words, newest first, of the rooms that the caller may enter. */
  search(q: Query, who: Principal, request: PostSearch): Promise<Post[]>;
  tidy(tx: Tx): Promise<number>;
}

type Draft = Readonly<{
  roomId: string;
  teamId: string | null;
  author: string;
  kind: Kind;
  text: string;
  /** Author and room come from a binding; such posts are told as the documented `team_chat_post`. */
  isBound: boolean;
  asserted: boolean;
}>;

/** Takes a post to the inboxes of those it names; answers whose. The peers room is one. */
export interface Mentions {
  deliver(tx: Tx, mention: Mention): Promise<readonly string[]>;
}

export type Mention = Readonly<{
  names: readonly string[];
  /** Those of the names who have spoken in the room: they exist, registered or not. */
  members: readonly string[];
  from: string;
  asserted: boolean;
  /** Posted by the person at the hub, who reaches everybody. */
  isPerson: boolean;
  roomId: string;
  /** Whose room it is. */
  teamId: string | null;
  text: string;
}>;

export type ChatOptions = Readonly<{
  /** Posts of one author per minute; 0: no limit. */
  postsPerMinute?: number;
  mentions?: Mentions;
}>;

const WORDS = {
  what: 'a post',
  blank: 'a post requires non-empty text',
  tooLongHint:
    'Post a summary, and put the rest where teammates can read it: a file, a task comment, a memory.',
};

/** Kinds of events that tell of a post; the subject is the room. */
const POST_EVENTS = { bound: 'team_chat_post', unbound: 'chat.posted' } as const;

export function createChat({ postsPerMinute = 600, mentions }: ChatOptions = {}): Chat {
  async function refuseFlood(tx: Tx, author: string, team: string): Promise<void> {
    const counted = { author, team, from: windowStart(tx.now) };
    if (postsPerMinute === 0 || (await countPost(tx, counted)) <= postsPerMinute) return;
    throw new HubError(
      'limited',
      `limit reached: posts per author and minute is ${postsPerMinute} (${author})`,
      {
        limit: 'posts',
        max: postsPerMinute,
        hint: 'Wait a minute and say more in one post; the operator can raise limits.posts.',
      },
    );
  }

  async function deliverMentions(tx: Tx, post: Post): Promise<readonly string[]> {
    const names =
      mentions && post.kind !== 'system'
        ? mentionsIn(post.body).filter((name) => name !== post.authorAgentId)
        : [];
    if (!mentions || names.length === 0) return [];
    const { authorAgentId: from, asserted, roomId, teamId, body: text } = post;
    const members = await authorsAmong(tx, roomId, names);
    return mentions.deliver(tx, {
      names,
      members,
      from,
      asserted,
      isPerson: post.kind === 'user',
      roomId,
      teamId,
      text,
    });
  }

  return {
    async post(tx, { roomId, teamId, author, kind, text, isBound, asserted }) {
      const body = cleanWords(text, WORDS);
      if (kind !== 'system') await refuseFlood(tx, author, isBound ? (teamId ?? '') : '');
      const seq = await takeSeq(tx, roomId, teamId);
      const post: Post = {
        seq,
        roomId,
        teamId,
        authorAgentId: author,
        asserted,
        kind,
        body,
        createdAt: tx.now,
      };
      await insertPost(tx, post);
      tx.emit({
        kind: isBound ? POST_EVENTS.bound : POST_EVENTS.unbound,
        subject: roomId,
        realm: 'hub',
        ...(teamId !== null && { team: teamId }),
        data: { roomId, seq, authorAgentId: author, postKind: kind },
      });
      return { post, mentioned: await deliverMentions(tx, post) };
    },

    async news(q, request) {
      const { posts, head } = await readNews(q, { ...request, limit: request.limit + 1 });
      const shown = posts.slice(0, request.limit);
      return {
        posts: shown.map(({ seq, authorAgentId, kind, body }) => ({
          seq,
          authorAgentId,
          kind,
          wrapped: quoteWords({ from: authorAgentId, kind, seq, body }),
        })),
        nextSeq: posts.length > request.limit ? shown.at(-1)!.seq : head,
      };
    },

    rooms: (q, { bound }, page) =>
      listRooms(q, { ...page, ...(bound.team !== undefined && { roomId: roomOf(bound.team) }) }),

    async history(q, { bound }, request) {
      const room = canEnter(bound, request.roomId) ? await findRoom(q, request.roomId) : undefined;
      if (!room)
        throw new HubError('not_found', `not found: room ${request.roomId}`, { roomId: request.roomId });
      return { room, posts: await listPosts(q, request) };
    },

    search: (q, { bound }, request) =>
      searchPosts(q, { ...request, ...(bound.team !== undefined && { roomId: roomOf(bound.team) }) }),

    tidy: (tx) => forgetWindows(tx, windowStart(tx.now) - 120_000),
  };
}
