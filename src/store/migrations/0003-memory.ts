import type { Migration } from './migration.ts';

/**
 * Memory. `recall_*` is the engine every kind of memory shares: an item's number says its scope, its stretch of an
 * episode and its position (src/recall/place.ts), and the full-text index is keyed by that number. `memory_*` is the
 * room of facts and procedures. `''` stands for "no team", "no agent" and "no tenant", so that uniqueness covers them.
 */
export const memory: Migration = {
  id: 3,
  name: 'memory',
  sqlite: `
    create table recall_scopes (
      no integer primary key,
      space text not null,
      tenant text not null,
      team text not null,
      agent text not null,
      stretches integer not null default 0,
      unique (space, tenant, team, agent)
    ) strict;

    create table recall_counts (
      scope_no integer not null references recall_scopes (no),
      shard integer not null,
      items integer not null,
      terms integer not null,
      primary key (scope_no, shard)
    ) strict, without rowid;

    create table recall_episodes (
      scope_no integer not null references recall_scopes (no),
      key text not null,
      stretch integer not null,
      size integer not null,
      day text not null,
      last_at integer not null,
      primary key (scope_no, key)
    ) strict, without rowid;

    create table recall_items (
      no integer primary key,
      id text not null,
      terms text not null,
      marks text not null,
      length integer not null,
      traits integer not null,
      day text not null,
      is_past integer not null default 0
    ) strict;
    create table recall_sketches (
      key integer not null,
      no integer not null,
      primary key (key, no)
    ) strict, without rowid;

    create virtual table recall_text using fts5(
      words,
      content = '',
      detail = none,
      columnsize = 0,
      tokenize = "ascii tokenchars '.!@~:-_'"
    );
    insert into recall_text (recall_text, rank) values ('secure-delete', 1);

    create table recall_fresh (
      no integer primary key,
      words text not null
    ) strict;

    create table recall_vectors (
      no integer not null,
      model text not null,
      dims integer not null,
      embedding blob not null,
      added_at integer not null,
      unique (model, no)
    ) strict;
    create index recall_vectors_by_item on recall_vectors (no);
    create index recall_vectors_by_age on recall_vectors (model, added_at);

    create table recall_pending (
      no integer primary key,
      attempts integer not null default 0
    ) strict;

    create table memory_facts (
      no integer primary key,
      id text not null unique,
      scope_no integer not null references recall_scopes (no),
      title text not null,
      content text not null,
      tags text not null,
      hash text not null,
      author text not null,
      asserted integer not null,
      source text not null,
      created_at integer not null,
      updated_at integer not null,
      valid_from integer not null,
      valid_to integer,
      superseded_by text,
      supersedes text
    ) strict;
    create unique index memory_facts_once on memory_facts (scope_no, hash) where valid_to is null;
    create index memory_facts_by_scope on memory_facts (scope_no, id);
    create index memory_facts_by_old on memory_facts (supersedes) where supersedes is not null;

    create table memory_procedures (
      id text primary key,
      scope_no integer not null references recall_scopes (no),
      name text not null,
      version integer not null,
      content text not null,
      author text not null,
      asserted integer not null,
      source text not null,
      created_at integer not null,
      unique (scope_no, name, version)
    ) strict, without rowid;`,
  postgres: `
    create table recall_scopes (
      no bigint generated always as identity primary key,
      space text collate "C" not null,
      tenant text collate "C" not null,
      team text collate "C" not null,
      agent text collate "C" not null,
      stretches bigint not null default 0,
      unique (space, tenant, team, agent)
    );

    create table recall_counts (
      scope_no bigint not null references recall_scopes (no),
      shard bigint not null,
      items bigint not null,
      terms bigint not null,
      primary key (scope_no, shard)
    );

    create table recall_episodes (
      scope_no bigint not null references recall_scopes (no),
      key text collate "C" not null,
      stretch bigint not null,
      size bigint not null,
      day text collate "C" not null,
      last_at bigint not null,
      primary key (scope_no, key)
    );

    create table recall_items (
      no bigint primary key,
      id text collate "C" not null,
      terms text not null,
      marks text not null,
      length bigint not null,
      traits bigint not null,
      day text not null,
      is_past bigint not null default 0,
      words tsvector not null
    );
    create table recall_sketches (
      key bigint not null,
      no bigint not null,
      primary key (key, no)
    );
    create index recall_items_by_word on recall_items using gin (words) with (fastupdate = off);

    create table recall_vectors (
      no bigint not null,
      model text collate "C" not null,
      dims bigint not null,
      embedding bytea not null,
      added_at bigint not null,
      primary key (model, no)
    );
    create index recall_vectors_by_item on recall_vectors (no);
    create index recall_vectors_by_age on recall_vectors (model, added_at);

    create table recall_pending (
      no bigint primary key,
      attempts bigint not null default 0
    );

    create table memory_facts (
      no bigint primary key,
      id text collate "C" not null unique,
      scope_no bigint not null references recall_scopes (no),
      title text not null,
      content text not null,
      tags text not null,
      hash text collate "C" not null,
      author text not null,
      asserted bigint not null,
      source text not null,
      created_at bigint not null,
      updated_at bigint not null,
      valid_from bigint not null,
      valid_to bigint,
      superseded_by text collate "C",
      supersedes text collate "C"
    );
    create unique index memory_facts_once on memory_facts (scope_no, hash) where valid_to is null;
    create index memory_facts_by_scope on memory_facts (scope_no, id);
    create index memory_facts_by_old on memory_facts (supersedes) where supersedes is not null;

    create table memory_procedures (
      id text collate "C" primary key,
      scope_no bigint not null references recall_scopes (no),
      name text collate "C" not null,
      version bigint not null,
      content text not null,
      author text not null,
      asserted bigint not null,
      source text not null,
      created_at bigint not null,
      unique (scope_no, name, version)
    );`,
};
