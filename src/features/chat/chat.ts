import { quoteWords } from '../../kernel/envelope.ts';
import { systemClock } from '../../kernel/clock.ts';
import { HubError } from '../../kernel/errors.ts';
import { type Knocker, mayKnock } from '../../kernel/knock.ts';
import { isPerson, type Principal } from '../../kernel/principal.ts';
import { cleanWords } from '../../kernel/words.ts';
import type { Caller } from '../../store/calls.ts';
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
import { canEnter, HUB_AUTHOR, mentionsIn, PERSON, roomOf, teamOf, windowStart } from './rules.ts';

/** What one can do in a room. */
export interface Chat {
  /** Who speaks where has been decided. */
  post(tx: Tx, draft: Draft): Promise<Posted>;
  /** The hub says something in the room of a team, and to some of it by mail: that comes along with their next answer. */
  announce(tx: Tx, said: Announcement): Promise<void>;
  /** What others said after a number, as evidence. A room nobody has spoken in is empty. */
  news(q: Query, request: NewsRequest): Promise<News>;
  /** As a caller sees the rooms in a snapshot: the one of its team where it is bound to one. */
  at(q: Query, caller: Caller): ChatView;
  /** As a caller speaks in a transaction. */
  in(tx: Tx, caller: Caller): ChatDesk;
  tidy(tx: Tx): Promise<number>;
}

export interface ChatView {
  rooms(page: Omit<RoomsRequest, 'roomId'>): Promise<ChatRoom[]>;
  /** Refused as not found when nobody has spoken there or the caller may not enter. */
  history(request: PostHistory): Promise<Readonly<{ room: ChatRoom; posts: Post[] }>>;
  /** Posts with all these words, newest first, of the rooms that the caller may enter. */
  search(request: PostSearch): Promise<Post[]>;
}

export interface ChatDesk {
  /** In its own voice: as the agent that its credential names, or as the person at the hub. */
  say(said: Readonly<{ roomId: string; text: string }>): Promise<Posted>;
}

type Posted = Readonly<{ post: Post; mentioned: readonly string[] }>;

type Draft = Readonly<{
  roomId: string;
  teamId: string | null;
  author: string;
  kind: Kind;
  text: string;
  /** Author and room come from a binding; such posts are told as the documented `team_chat_post`. */
  isBound: boolean;
  asserted: boolean;
  /** Who says it; the hub itself where nobody is named. */
  by?: Knocker;
}>;

type Announcement = Readonly<{
  team: string;
  /** Nothing is posted without it. */
  text?: string | undefined;
  letters: readonly Readonly<{ to: string; text: string }>[];
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
  /** Whether it wakes agents of a team who sit idle. */
  mayWake?: ((team: string) => boolean) | undefined;
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

  async function deliverMentions(tx: Tx, post: Post, by?: Knocker): Promise<readonly string[]> {
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
      ...(by && { mayWake: (team) => mayKnock(by, team) }),
    });
  }

  async function post(tx: Tx, draft: Draft): Promise<Posted> {
    const { roomId, teamId, author, kind, text, isBound, asserted } = draft;
    const body = cleanWords(text, WORDS);
    if (kind !== 'system') await refuseFlood(tx, author, isBound ? (teamId ?? '') : '');
    const seq = await takeSeq(tx, roomId, teamId);
    const createdAt = tx.now;
    const made: Post = { seq, roomId, teamId, authorAgentId: author, asserted, kind, body, createdAt };
    await insertPost(tx, made);
    tx.emit({
      kind: isBound ? POST_EVENTS.bound : POST_EVENTS.unbound,
      subject: roomId,
      realm: 'hub',
      ...(teamId !== null && { team: teamId }),
      data: { roomId, seq, authorAgentId: author, postKind: kind },
    });
    return { post: made, mentioned: await deliverMentions(tx, made, draft.by) };
  }

  async function announce(tx: Tx, { team, text, letters }: Announcement): Promise<void> {
    const said = { roomId: roomOf(team), teamId: team, asserted: false };
    if (text !== undefined)
      await post(tx, { ...said, author: HUB_AUTHOR, kind: 'system', text, isBound: false });
    // Who holds work is there, whether they have spoken or not.
    for (const { to, text: words } of letters)
      await mentions?.deliver(tx, {
        ...said,
        names: [to],
        members: [to],
        from: HUB_AUTHOR,
        isPerson: false,
        text: words,
        mayWake: (mailbox) => mailbox === team,
      });
  }

  return {
    post,
    announce,

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

    at: viewOf,

    in: (tx, { who, isPerson: isThePerson }) => ({
      async say({ roomId, text }) {
        if (!canEnter(who.bound, roomId)) throw noRoom(roomId);
        return post(tx, {
          ...voiceOf(who),
          roomId,
          teamId: teamOf(roomId) ?? who.bound.team ?? null,
          text,
          isBound: who.bound.agent !== undefined && who.bound.team !== undefined,
          asserted: false,
          by: { who, isPerson: isThePerson },
        });
      },
    }),

    tidy: (tx) => forgetWindows(tx, windowStart(tx.now) - 120_000),
  };
}

const viewOf = (q: Query, { who: { bound } }: Caller): ChatView => {
  const own = bound.team === undefined ? {} : { roomId: roomOf(bound.team) };
  return {
    rooms: (page) => listRooms(q, { ...page, ...own }),

    async history(request) {
      const room = canEnter(bound, request.roomId) ? await findRoom(q, request.roomId) : undefined;
      if (!room) throw noRoom(request.roomId);
      return { room, posts: await listPosts(q, request) };
    },

    search: (request) => searchPosts(q, { ...request, ...own }, systemClock.now()),
  };
};

/** No argument names the author here: a credential does, and without one it is the person at this machine. */
function voiceOf(who: Principal): Readonly<{ author: string; kind: Kind }> {
  if (who.bound.agent !== undefined) return { author: who.bound.agent, kind: 'peer' };
  if (isPerson(who)) return { author: PERSON, kind: 'user' };
  throw new HubError(
    'forbidden',
    'This caller has no voice in a room: it is neither an agent nor the person at the hub.',
  );
}

function noRoom(roomId: string): HubError {
  return new HubError('not_found', `not found: room ${roomId}`, { roomId });
}
