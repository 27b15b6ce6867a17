import type { Migration } from './migration.ts';

/**
 * Team rooms, and the register of peers with their mailboxes. Numbers that must not have gaps (a room's posts, a mailbox's
 * and a thread's messages) are counted in a row of their own, which the writer holds until its unit ends.
 */
export const chatAndPeers: Migration = {
  id: 6,
  name: 'chat-and-peers',
  sqlite: `
    create table chat_rooms (
      room_id text primary key,
      team_id text,
      head integer not null,
      created_at integer not null,
      last_post_at integer not null
    ) strict, without rowid;

    create table chat_posts (
      room_id text not null references chat_rooms (room_id),
      seq integer not null,
      team_id text,
      author_agent_id text not null,
      asserted integer not null,
      kind text not null,
      body text not null,
      created_at integer not null,
      primary key (room_id, seq)
    ) strict, without rowid;
    create index chat_posts_by_author on chat_posts (room_id, author_agent_id);

    create table chat_windows (
      author_agent_id text not null,
      starts_at integer not null,
      posts integer not null,
      primary key (author_agent_id, starts_at)
    ) strict, without rowid;

    create table peers (
      peer_id text primary key,
      agent_id text not null,
      display_name text not null,
      backend text not null,
      path text not null,
      circle text not null,
      role text not null,
      status text not null,
      session_id text not null,
      tmux_pane text not null,
      pid integer,
      metadata text not null,
      registered_at integer not null,
      last_seen integer not null
    ) strict, without rowid;
    create unique index peers_identity on peers (backend, path, session_id, tmux_pane) where session_id <> '' or tmux_pane <> '';
    create index peers_by_agent on peers (agent_id, circle);

    create table peer_mailboxes (
      circle text not null,
      agent_id text not null,
      head integer not null,
      primary key (circle, agent_id)
    ) strict, without rowid;

    create table peer_threads (
      thread_id text primary key,
      circle text not null,
      head integer not null
    ) strict, without rowid;

    create table peer_messages (
      id text primary key,
      circle text not null,
      to_agent text not null,
      seq integer not null,
      to_peer text,
      from_agent text not null,
      from_peer text,
      asserted integer not null,
      type text not null,
      text text not null,
      correlation_id text,
      thread_id text not null,
      thread_seq integer not null,
      reply_to text,
      state text not null,
      created_at integer not null,
      expires_at integer not null,
      delivered_at integer,
      lease_until integer,
      deliveries integer not null default 0,
      offers integer not null default 0,
      offered_seat text,
      acked_at integer,
      unique (circle, to_agent, seq)
    ) strict, without rowid;
    create index peer_messages_waiting on peer_messages (circle, to_agent, seq) where state in ('queued', 'delivered');
    create index peer_messages_expiring on peer_messages (expires_at) where state in ('queued', 'delivered');
    create index peer_messages_sent on peer_messages (from_agent, created_at, id);
    create index peer_messages_dead on peer_messages (created_at, id) where state = 'expired';`,
  postgres: `
    create table chat_rooms (
      room_id text collate "C" primary key,
      team_id text collate "C",
      head bigint not null,
      created_at bigint not null,
      last_post_at bigint not null
    );

    create table chat_posts (
      room_id text collate "C" not null references chat_rooms (room_id),
      seq bigint not null,
      team_id text collate "C",
      author_agent_id text collate "C" not null,
      asserted bigint not null,
      kind text not null,
      body text not null,
      created_at bigint not null,
      primary key (room_id, seq)
    );
    create index chat_posts_by_author on chat_posts (room_id, author_agent_id);

    create table chat_windows (
      author_agent_id text collate "C" not null,
      starts_at bigint not null,
      posts bigint not null,
      primary key (author_agent_id, starts_at)
    );

    create table peers (
      peer_id text collate "C" primary key,
      agent_id text collate "C" not null,
      display_name text collate "C" not null,
      backend text collate "C" not null,
      path text collate "C" not null,
      circle text collate "C" not null,
      role text collate "C" not null,
      status text collate "C" not null,
      session_id text collate "C" not null,
      tmux_pane text collate "C" not null,
      pid bigint,
      metadata text not null,
      registered_at bigint not null,
      last_seen bigint not null
    );
    create unique index peers_identity on peers (backend, path, session_id, tmux_pane) where session_id <> '' or tmux_pane <> '';
    create index peers_by_agent on peers (agent_id, circle);

    create table peer_mailboxes (
      circle text collate "C" not null,
      agent_id text collate "C" not null,
      head bigint not null,
      primary key (circle, agent_id)
    );

    create table peer_threads (
      thread_id text collate "C" primary key,
      circle text collate "C" not null,
      head bigint not null
    );

    create table peer_messages (
      id text collate "C" primary key,
      circle text collate "C" not null,
      to_agent text collate "C" not null,
      seq bigint not null,
      to_peer text collate "C",
      from_agent text collate "C" not null,
      from_peer text collate "C",
      asserted bigint not null,
      type text not null,
      text text not null,
      correlation_id text collate "C",
      thread_id text collate "C" not null,
      thread_seq bigint not null,
      reply_to text collate "C",
      state text collate "C" not null,
      created_at bigint not null,
      expires_at bigint not null,
      delivered_at bigint,
      lease_until bigint,
      deliveries bigint not null default 0,
      offers bigint not null default 0,
      offered_seat text collate "C",
      acked_at bigint,
      unique (circle, to_agent, seq)
    );
    create index peer_messages_waiting on peer_messages (circle, to_agent, seq) where state in ('queued', 'delivered');
    create index peer_messages_expiring on peer_messages (expires_at) where state in ('queued', 'delivered');
    create index peer_messages_sent on peer_messages (from_agent, created_at, id);
    create index peer_messages_dead on peer_messages (created_at, id) where state = 'expired';`,
};
