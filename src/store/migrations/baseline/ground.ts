/** What the store itself needs: counters, events, idempotent answers, consumers, jobs and marks of whole imports. */
export const ground = `
create table counters (
  name exact primary key,
  value int not null
) rowless;
insert into counters (name, value) values ('events', 0), ('events_floor', 0);

create table events (
  seq int primary key,
  at int not null,
  kind text not null,
  subject exact not null,
  realm text not null,
  team text,
  actor text not null,
  asserted int not null,
  hub text not null,
  data text
);
create index events_subject on events (subject, seq);

create table once (
  key exact primary key,
  hash text not null,
  answer text not null,
  at int not null
) rowless;
create index once_at on once (at);

create table consumers (
  name exact primary key,
  position int not null,
  holder text,
  lease_until int not null default 0
) rowless;

create table jobs (
  id exact primary key,
  queue exact not null,
  key exact,
  payload text not null,
  state exact not null default 'waiting',
  run_at int not null,
  attempts int not null default 0,
  holder text,
  lease_until int not null default 0,
  last_error text,
  created_at int not null,
  unique (queue, key)
) rowless;
create index jobs_due on jobs (queue, state, run_at);

create table hub_imports (
  digest exact primary key,
  rows int not null,
  at int not null
) rowless;
`;
