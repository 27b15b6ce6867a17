/** Rooms, peers and their mail. */
export const talk = `
create table chat_rooms (
  room_id exact primary key,
  team_id exact,
  head int not null,
  created_at int not null,
  last_post_at int not null
) rowless;

create table chat_posts (
  room_id exact not null references chat_rooms (room_id),
  seq int not null,
  team_id exact,
  author_agent_id exact not null,
  asserted int not null,
  kind text not null,
  body text not null,
  created_at int not null,
  primary key (room_id, seq)
) rowless;
create index chat_posts_by_author on chat_posts (room_id, author_agent_id);

create table chat_windows (
  author_agent_id exact not null,
  starts_at int not null,
  posts int not null,
  primary key (author_agent_id, starts_at)
) rowless;

create table peers (
  peer_id exact primary key,
  agent_id exact not null,
  display_name exact not null,
  backend exact not null,
  path exact not null,
  circle exact not null,
  role exact not null,
  status exact not null,
  session_id exact not null,
  tmux_pane exact not null,
  pid int,
  metadata text not null,
  registered_at int not null,
  last_seen int not null,
  team text
) rowless;
create unique index peers_identity on peers (backend, path, session_id, tmux_pane) where session_id <> '' or tmux_pane <> '';
create index peers_by_agent on peers (agent_id, circle);

create table peer_mailboxes (
  circle exact not null,
  agent_id exact not null,
  head int not null,
  primary key (circle, agent_id)
) rowless;

create table peer_threads (
  thread_id exact primary key,
  circle exact not null,
  head int not null
) rowless;

create table peer_messages (
  id exact primary key,
  circle exact not null,
  to_agent exact not null,
  seq int not null,
  to_peer exact,
  from_agent exact not null,
  from_peer exact,
  asserted int not null,
  type text not null,
  text text not null,
  correlation_id exact,
  thread_id exact not null,
  thread_seq int not null,
  reply_to exact,
  state exact not null,
  created_at int not null,
  expires_at int not null,
  delivered_at int,
  lease_until int,
  deliveries int not null default 0,
  offers int not null default 0,
  offered_seat exact,
  acked_at int,
  unique (circle, to_agent, seq)
) rowless;
create index peer_messages_waiting on peer_messages (circle, to_agent, seq) where state in ('queued', 'delivered');
create index peer_messages_expiring on peer_messages (expires_at) where state in ('queued', 'delivered');
create index peer_messages_sent on peer_messages (from_agent, created_at, id);
create index peer_messages_dead on peer_messages (created_at, id) where state = 'expired';
create index peer_messages_by_thread on peer_messages (thread_id);
create index peer_messages_settled on peer_messages (expires_at) where state in ('acked', 'expired');

create table peer_circles (
  circle text primary key,
  team text not null,
  opened_at int not null
) rowless;
`;
