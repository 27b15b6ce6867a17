import type { Migration } from './migration.ts';

/** What the store itself needs: counters, events, idempotent answers, consumers and jobs. */
export const ground: Migration = {
  id: 1,
  name: 'ground',
  sqlite: `
    create table counters (
      name text primary key,
      value integer not null
    ) strict, without rowid;
    insert into counters (name, value) values ('events', 0), ('events_floor', 0);

    create table events (
      seq integer primary key,
      at integer not null,
      kind text not null,
      subject text not null,
      realm text not null,
      team text,
      actor text not null,
      asserted integer not null,
      hub text not null,
      data text
    ) strict;
    create index events_subject on events (subject, seq);

    create table once (
      key text primary key,
      hash text not null,
      answer text not null,
      at integer not null
    ) strict, without rowid;
    create index once_at on once (at);

    create table consumers (
      name text primary key,
      position integer not null,
      holder text,
      lease_until integer not null default 0
    ) strict, without rowid;

    create table jobs (
      id text primary key,
      queue text not null,
      key text,
      payload text not null,
      state text not null default 'waiting',
      run_at integer not null,
      attempts integer not null default 0,
      holder text,
      lease_until integer not null default 0,
      last_error text,
      created_at integer not null,
      unique (queue, key)
    ) strict, without rowid;
    create index jobs_due on jobs (queue, state, run_at);`,
  postgres: `
    create table counters (
      name text collate "C" primary key,
      value bigint not null
    );
    insert into counters (name, value) values ('events', 0), ('events_floor', 0);

    create table events (
      seq bigint primary key,
      at bigint not null,
      kind text not null,
      subject text collate "C" not null,
      realm text not null,
      team text,
      actor text not null,
      asserted bigint not null,
      hub text not null,
      data text
    );
    create index events_subject on events (subject, seq);

    create table once (
      key text collate "C" primary key,
      hash text not null,
      answer text not null,
      at bigint not null
    );
    create index once_at on once (at);

    create table consumers (
      name text collate "C" primary key,
      position bigint not null,
      holder text,
      lease_until bigint not null default 0
    );

    create table jobs (
      id text collate "C" primary key,
      queue text collate "C" not null,
      key text collate "C",
      payload text not null,
      state text collate "C" not null default 'waiting',
      run_at bigint not null,
      attempts bigint not null default 0,
      holder text,
      lease_until bigint not null default 0,
      last_error text,
      created_at bigint not null,
      unique (queue, key)
    );
    create index jobs_due on jobs (queue, state, run_at);`,
};
