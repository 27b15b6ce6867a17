// SQL of rooms and posts. A number is taken in the transaction of its post, so a room has no gaps.
import { isEmptyQuery } from '../../kernel/query-language.ts';
import type { Query, Tx } from '../../store/database.ts';
import {
  type Asking,
  conditionsOf,
  contains,
  isKind,
  isText,
  isWithin,
  readFreely,
} from '../../store/query-terms.ts';
import { sql } from '../../store/sql.ts';
import { flag, number, type StoredRow, table, text, textOrNull } from '../../store/table.ts';
import type { ChatRoom, Kind, Post } from './post.ts';

const posts = table('chat_posts', {
  seq: number(),
  roomId: text(),
  teamId: textOrNull(),
  authorAgentId: text(),
  asserted: flag(),
  kind: text<Kind>(),
  body: text(),
  createdAt: number(),
});

const rooms = table('chat_rooms', {
  roomId: text(),
  teamId: textOrNull(),
  head: number(),
  createdAt: number(),
  lastPostAt: number(),
});

/**
 * The next number of a room, which is made by its first post. The row stays locked until the unit ends and a unit that
 * fails takes its number back, so numbers have no gaps and are in commit order ("sixteen writers leave no gap").
 */
export async function takeSeq(tx: Tx, roomId: string, teamId: string | null): Promise<number> {
  const row = await tx.get<{ head: number }>(sql`
    insert into chat_rooms ${rooms.values({ roomId, teamId, head: 1, createdAt: tx.now, lastPostAt: tx.now })}
    on conflict (room_id) do update
    set head = chat_rooms.head + 1, last_post_at = excluded.last_post_at
    returning head`);
  return row!.head;
}

export const insertPost = (tx: Tx, post: Post): Promise<void> => posts.insert(tx, post);

/** Counts one more post of the author in the window; answers how many there are now. */
export async function countPost(
  tx: Tx,
  { team, author, from }: Readonly<{ team: string; author: string; from: number }>,
): Promise<number> {
  const row = await tx.get<{ posts: number }>(sql`
    insert into chat_windows (team, author_agent_id, starts_at, posts)
    values (${team}, ${author}, ${from}, 1)
    on conflict (team, author_agent_id, starts_at) do update
    set posts = chat_windows.posts + 1
    returning posts`);
  return row!.posts;
}

export function forgetWindows(tx: Tx, before: number): Promise<number> {
  return tx.run(sql`delete from chat_windows where starts_at < ${before}`);
}

export type NewsRequest = Readonly<{ roomId: string; reader: string; sinceSeq: number; limit: number }>;

/**
 * What others posted after a number, and the room's head, in one statement: read apart, a post committed in between
 * would be passed over by a reader who goes on from the head.
 */
export async function readNews(
  q: Query,
  request: NewsRequest,
): Promise<Readonly<{ posts: Post[]; head: number }>> {
  const rows = await q.all<StoredRow>(sql`
    select room.head, post.*
    from chat_rooms as room
    left join (
      select ${posts.columns}
      from chat_posts
      where room_id = ${request.roomId} and seq > ${request.sinceSeq} and author_agent_id <> ${request.reader}
      order by seq
      limit ${request.limit}
    ) as post on true
    where room.room_id = ${request.roomId}
    order by post.seq`);
  return {
    head: (rows[0]?.['head'] as number | undefined) ?? 0,
    posts: rows.filter((row) => row['seq'] !== null).map(posts.read),
  };
}

export type PostHistory = Readonly<{
  roomId: string;
  before?: number | undefined;
  after?: number | undefined;
  limit: number;
}>;

/** Newest first, or oldest first when the page starts after a number. */
export function listPosts(q: Query, { roomId, before, after, limit }: PostHistory): Promise<Post[]> {
  return posts.list(
    q,
    sql`where room_id = ${roomId} ${before === undefined ? sql.empty : sql`and seq < ${before}`}
      ${after === undefined ? sql.empty : sql`and seq > ${after}`}
    order by seq ${sql.raw(after === undefined ? 'desc' : 'asc')}
    limit ${limit}`,
  );
}

export type PostSearch = Readonly<{ roomId?: string | undefined; search: string; limit: number }>;

/** Words have no index: so far back in each room they are looked for. */
const SEARCHED = 5_000;

const asking = (now: number): Asking => ({
  has: (text) => contains(sql`body`, text),
  fields: {
    agent: ({ value }) => isText(sql`author_agent_id`, value),
    project: ({ value }) => isText(sql`post.team_id`, value),
    created: (term) => isWithin(sql`post.created_at`, term, now),
    updated: (term) => isWithin(sql`post.created_at`, term, now),
    kind: (term) => isKind(term, 'room'),
  },
});

/** Posts that a query finds, newest first; what the hub told of the board comes last. */
export async function searchPosts(
  q: Query,
  { roomId, search, limit }: PostSearch,
  now: number,
): Promise<Post[]> {
  const query = readFreely(search);
  if (isEmptyQuery(query)) return [];
  return posts.all(
    q,
    sql`
    select ${posts.columnsOf('post')}
    from chat_rooms as room
    join chat_posts as post on post.room_id = room.room_id and post.seq > room.head - ${SEARCHED}
    where ${sql.join(conditionsOf(query, asking(now)), ' and ')}
      ${roomId === undefined ? sql.empty : sql`and room.room_id = ${roomId}`}
    order by case when post.kind = 'system' then 1 else 0 end, post.created_at desc, post.seq desc
    limit ${limit}`,
  );
}

export const findRoom = (q: Query, roomId: string): Promise<ChatRoom | undefined> =>
  rooms.find(q, sql`where room_id = ${roomId}`);

export type RoomsRequest = Readonly<{
  roomId?: string | undefined;
  after?: string | undefined;
  limit: number;
}>;

export function listRooms(q: Query, { roomId, after, limit }: RoomsRequest): Promise<ChatRoom[]> {
  return rooms.list(
    q,
    sql`where room_id > ${after ?? ''} ${roomId === undefined ? sql.empty : sql`and room_id = ${roomId}`}
    order by room_id
    limit ${limit}`,
  );
}

/** Which of these names have spoken in the room. */
export async function authorsAmong(q: Query, roomId: string, names: readonly string[]): Promise<string[]> {
  const rows = await q.all<{ author_agent_id: string }>(sql`
    select distinct author_agent_id
    from chat_posts
    where room_id = ${roomId} and kind = 'peer' and author_agent_id in ${sql.in(names)}`);
  return rows.map((row) => row.author_agent_id);
}

export const teamsOfRooms = sql`select team_id as team from chat_rooms where team_id is not null`;
