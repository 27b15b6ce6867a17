// SQL of rooms and posts. A number is taken in the transaction of its post, so a room has no gaps.
import type { Query, Tx } from '../../store/database.ts';
import { sql } from '../../store/sql.ts';
import type { ChatRoom, Kind, Post } from './post.ts';

type PostRow = {
  room_id: string;
  seq: number;
  team_id: string | null;
  author_agent_id: string;
  asserted: number;
  kind: Kind;
  body: string;
  created_at: number;
};

const postColumns = sql.raw('room_id, seq, team_id, author_agent_id, asserted, kind, body, created_at');

function toPost(row: PostRow): Post {
  return {
    seq: row.seq,
    roomId: row.room_id,
    teamId: row.team_id,
    authorAgentId: row.author_agent_id,
    asserted: row.asserted === 1,
    kind: row.kind,
    body: row.body,
    createdAt: row.created_at,
  };
}

/**
 * The next number of a room, which is made by its first post. The row stays locked until the unit ends and a unit that
 * fails takes its number back, so numbers have no gaps and are in commit order ("sixteen writers leave no gap").
 */
export async function takeSeq(tx: Tx, roomId: string, teamId: string | null): Promise<number> {
  const row = await tx.get<{ head: number }>(sql`
    insert into chat_rooms (room_id, team_id, head, created_at, last_post_at)
    values (${roomId}, ${teamId}, 1, ${tx.now}, ${tx.now})
    on conflict (room_id) do update
    set head = chat_rooms.head + 1, last_post_at = excluded.last_post_at
    returning head`);
  return row!.head;
}

export async function insertPost(tx: Tx, post: Post): Promise<void> {
  await tx.run(sql`
    insert into chat_posts (${postColumns})
    values (${post.roomId}, ${post.seq}, ${post.teamId}, ${post.authorAgentId}, ${post.asserted ? 1 : 0}, ${post.kind}, ${post.body}, ${post.createdAt})`);
}

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
  const rows = await q.all<{ head: number } & (PostRow | { seq: null })>(sql`
    select room.head, post.*
    from chat_rooms as room
    left join (
      select ${postColumns}
      from chat_posts
      where room_id = ${request.roomId} and seq > ${request.sinceSeq} and author_agent_id <> ${request.reader}
      order by seq
      limit ${request.limit}
    ) as post on true
    where room.room_id = ${request.roomId}
    order by post.seq`);
  return {
    head: rows[0]?.head ?? 0,
    posts: rows.filter((row): row is { head: number } & PostRow => row.seq !== null).map(toPost),
  };
}

export type PostHistory = Readonly<{
  roomId: string;
  before?: number | undefined;
  after?: number | undefined;
  limit: number;
}>;

/** Newest first, or oldest first when the page starts after a number. */
export async function listPosts(q: Query, { roomId, before, after, limit }: PostHistory): Promise<Post[]> {
  const rows = await q.all<PostRow>(sql`
    select ${postColumns}
    from chat_posts
    where room_id = ${roomId}
      ${before === undefined ? sql.empty : sql`and seq < ${before}`}
      ${after === undefined ? sql.empty : sql`and seq > ${after}`}
    order by seq ${sql.raw(after === undefined ? 'desc' : 'asc')}
    limit ${limit}`);
  return rows.map(toPost);
}

export type PostSearch = Readonly<{ roomId?: string | undefined; search: string; limit: number }>;

/** Words have no index: so far back in each room they are looked for. */
const SEARCHED = 5_000;
const MOST_WORDS = 16;

/** Posts that have every word, newest first. */
export async function searchPosts(q: Query, { roomId, search, limit }: PostSearch): Promise<Post[]> {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
  if (words.length === 0) return [];
  const patterns = words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);
  const rows = await q.all<PostRow>(sql`
    select ${sql.raw('post.room_id, post.seq, post.team_id, author_agent_id, asserted, kind, body, post.created_at')}
    from chat_rooms as room
    join chat_posts as post on post.room_id = room.room_id and post.seq > room.head - ${SEARCHED}
    where ${sql.join(
      patterns.map((pattern) => sql`lower(body) like ${pattern} escape '\\'`),
      ' and ',
    )}
      ${roomId === undefined ? sql.empty : sql`and room.room_id = ${roomId}`}
    order by post.created_at desc, post.seq desc
    limit ${limit}`);
  return rows.map(toPost);
}

type RoomRow = {
  room_id: string;
  team_id: string | null;
  head: number;
  created_at: number;
  last_post_at: number;
};

function toRoom(row: RoomRow): ChatRoom {
  return {
    roomId: row.room_id,
    teamId: row.team_id,
    head: row.head,
    createdAt: row.created_at,
    lastPostAt: row.last_post_at,
  };
}

export async function findRoom(q: Query, roomId: string): Promise<ChatRoom | undefined> {
  const row = await q.get<RoomRow>(sql`
    select room_id, team_id, head, created_at, last_post_at
    from chat_rooms
    where room_id = ${roomId}`);
  return row && toRoom(row);
}

export type RoomsRequest = Readonly<{
  roomId?: string | undefined;
  after?: string | undefined;
  limit: number;
}>;

export async function listRooms(q: Query, { roomId, after, limit }: RoomsRequest): Promise<ChatRoom[]> {
  const rows = await q.all<RoomRow>(sql`
    select room_id, team_id, head, created_at, last_post_at
    from chat_rooms
    where room_id > ${after ?? ''}
      ${roomId === undefined ? sql.empty : sql`and room_id = ${roomId}`}
    order by room_id
    limit ${limit}`);
  return rows.map(toRoom);
}

/** Which of these names have spoken in the room. */
export async function authorsAmong(q: Query, roomId: string, names: readonly string[]): Promise<string[]> {
  const rows = await q.all<{ author_agent_id: string }>(sql`
    select distinct author_agent_id
    from chat_posts
    where room_id = ${roomId} and kind = 'peer' and author_agent_id in ${sql.in(names)}`);
  return rows.map((row) => row.author_agent_id);
}
