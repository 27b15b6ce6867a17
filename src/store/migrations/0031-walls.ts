import type { Migration } from './migration.ts';
import { only } from './spell.ts';

/**
 * A mailbox is that of an agent in a circle of a team ('' for none), so that namesakes of two teams share none; and
 * posts are counted by team and author. Whose the mail is that is there already: see `OWNERS`.
 */

/**
 * Who can be meant by a name in a circle, the likeliest first: the sessions that are registered there, the team the
 * circle belongs to, and, in the circle of everybody, the tokens and connections of that name.
 */
const OWNERS = `
create table peer_owners (
  circle exact,
  agent_id exact,
  team exact,
  likely int,
  seen int
);
insert into peer_owners (circle, agent_id, team, likely, seen)
select circle, agent_id, coalesce(team, ''), case when team is null then 3 else 1 end, last_seen
from peers;
insert into peer_owners (circle, agent_id, team, likely, seen)
select b.circle, b.agent_id, c.team, 2, 0
from peer_mailboxes as b
join peer_circles as c on c.circle = b.circle;
insert into peer_owners (circle, agent_id, team, likely, seen)
select b.circle, b.agent_id, coalesce(t.team, ''), 4, coalesce(t.used_at, t.created_at)
from peer_mailboxes as b
join agent_tokens as t on t.agent = b.agent_id
where b.circle = 'default' and t.revoked_at is null;
insert into peer_owners (circle, agent_id, team, likely, seen)
select b.circle, b.agent_id, s.team_id, 5, s.seen_at
from peer_mailboxes as b
join seats as s on s.name = b.agent_id
where b.circle = 'default';
insert into peer_owners (circle, agent_id, team, likely, seen)
select b.circle, b.agent_id, '', 6, 0
from peer_mailboxes as b
where not exists (select 1 from peer_owners as o where o.circle = b.circle and o.agent_id = b.agent_id);`;

/** The team of the session it was sent to, else one that both sides are of, else the likeliest. Nothing is left without. */
const TEAM_OF_MAIL = `
coalesce(
  (select p.team from peers as p where p.peer_id = m.to_peer),
  (select o.team
    from peer_owners as o
    where o.circle = m.circle and o.agent_id = m.to_agent and o.team <> '' and o.team in (
      select s.team from peer_owners as s where s.circle = m.circle and s.agent_id = m.from_agent
    )
    order by o.likely, o.seen desc, o.team
    limit 1),
  (select o.team
    from peer_owners as o
    where o.circle = m.circle and o.agent_id = m.to_agent
    order by o.likely, o.seen desc, o.team
    limit 1),
  '')`;

/** The sender's: that of its session, else the recipient's where it is of that, else its likeliest. */
const TEAM_OF_SENDER = `
coalesce(
  (select p.team from peers as p where p.peer_id = m.from_peer),
  (select o.team
    from peer_owners as o
    where o.circle = m.circle and o.agent_id = m.from_agent
    order by case when o.team = m.team then 0 else 1 end, o.likely, o.seen desc, o.team
    limit 1),
  '')`;

const MAILBOXES = `
insert into peer_mailboxes (team, circle, agent_id, head)
select distinct found.team, found.circle, found.agent_id, b.head
from (
  select team, circle, agent_id from peer_owners
  union
  select team, circle, to_agent from peer_messages
) as found
join peer_boxes_before as b on b.circle = found.circle and b.agent_id = found.agent_id;
drop table peer_boxes_before;
drop table peer_owners;`;

const IDENTITY = `
drop index peers_identity;
create unique index peers_identity on peers (coalesce(team, ''), backend, path, session_id, tmux_pane)
  where session_id <> '' or tmux_pane <> '';`;

const INDEXES = `
create index peer_messages_waiting on peer_messages (team, circle, to_agent, seq)
  where state in ('queued', 'delivered');
create index peer_messages_sent on peer_messages (from_team, from_agent, created_at, id);`;

/** A session that says which project it works in is of that team; a token without a team is of none. */
const CLAIMED = `
update peers
@sqlite set team = json_extract(metadata, '$.team')
@postgres set team = cast(metadata as json) ->> 'team'
where team is null
@sqlite and json_extract(metadata, '$.team') <> ''
@postgres and cast(metadata as json) ->> 'team' <> ''
  and not exists (select 1 from agent_tokens as t where t.agent = peers.agent_id and t.team is null);`;

/** A table of SQLite keeps the key it was made with: mail is copied into a new one, for now without a team. */
const NEW_KEY = `
drop index peer_messages_expiring;
drop index peer_messages_dead;
drop index peer_messages_by_thread;
drop index peer_messages_settled;
alter table peer_messages rename to peer_messages_before;
create table peer_messages (
  id text primary key,
  team text not null,
  circle text not null,
  to_agent text not null,
  seq integer not null,
  to_peer text,
  from_team text not null,
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
  unique (team, circle, to_agent, seq)
) strict, without rowid;
insert into peer_messages (id, team, circle, to_agent, seq, to_peer, from_team, from_agent, from_peer, asserted,
  type, text, correlation_id, thread_id, thread_seq, reply_to, state, created_at, expires_at, delivered_at,
  lease_until, deliveries, offers, offered_seat, acked_at)
select id, '', circle, to_agent, seq, to_peer, '', from_agent, from_peer, asserted,
  type, text, correlation_id, thread_id, thread_seq, reply_to, state, created_at, expires_at, delivered_at,
  lease_until, deliveries, offers, offered_seat, acked_at
from peer_messages_before;
drop table peer_messages_before;
create index peer_messages_expiring on peer_messages (expires_at) where state in ('queued', 'delivered');
create index peer_messages_dead on peer_messages (created_at, id) where state = 'expired';
create index peer_messages_by_thread on peer_messages (thread_id);
create index peer_messages_settled on peer_messages (expires_at) where state in ('acked', 'expired');`;

const NEW_COLUMNS = `
alter table peer_messages drop constraint peer_messages_circle_to_agent_seq_key;
alter table peer_messages add column team text collate "C" not null default '';
alter table peer_messages add column from_team text collate "C" not null default '';
alter table peer_messages alter column team drop default;
alter table peer_messages alter column from_team drop default;
alter table peer_messages add constraint peer_messages_number unique (team, circle, to_agent, seq);`;

export const walls: Migration = {
  id: 31,
  name: 'walls',
  schema: `
drop table chat_windows;
create table chat_windows (
  team exact not null,
  author_agent_id exact not null,
  starts_at int not null,
  posts int not null,
  primary key (team, author_agent_id, starts_at)
) rowless;
${CLAIMED}
${IDENTITY}
${OWNERS}

alter table peer_mailboxes rename to peer_boxes_before;
@postgres alter table peer_boxes_before rename constraint peer_mailboxes_pkey to peer_boxes_before_pkey;
create table peer_mailboxes (
  team exact not null,
  circle exact not null,
  agent_id exact not null,
  head int not null,
  primary key (team, circle, agent_id)
) rowless;

drop index peer_messages_waiting;
drop index peer_messages_sent;
${only('sqlite', NEW_KEY)}
${only('postgres', NEW_COLUMNS)}
update peer_messages as m set team = ${TEAM_OF_MAIL};
update peer_messages as m set from_team = ${TEAM_OF_SENDER};
${INDEXES}
${MAILBOXES}
`,
};
