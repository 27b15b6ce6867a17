import type { Migration } from './migration.ts';

/** Definitions of tools of others, as last seen and as approved; which hub runs which source; views by token. */
export const sources: Migration = {
  id: 19,
  name: 'sources',
  sqlite: `
    create table source_tools (
      source text not null,
      tool text not null,
      hash text not null,
      definition text not null,
      approved_hash text,
      approved_definition text,
      approved_at integer,
      approved_by text,
      first_seen_at integer not null,
      changed_at integer not null,
      primary key (source, tool)
    ) strict, without rowid;
    create table source_states (
      hub text not null,
      source text not null,
      state text not null,
      reason text,
      pid integer,
      tools integer not null,
      changed_at integer not null,
      primary key (hub, source)
    ) strict, without rowid;
    alter table agent_tokens add column profile text;`,
  postgres: `
    create table source_tools (
      source text collate "C" not null,
      tool text collate "C" not null,
      hash text not null,
      definition text not null,
      approved_hash text,
      approved_definition text,
      approved_at bigint,
      approved_by text,
      first_seen_at bigint not null,
      changed_at bigint not null,
      primary key (source, tool)
    );
    create table source_states (
      hub text collate "C" not null,
      source text collate "C" not null,
      state text not null,
      reason text,
      pid bigint,
      tools bigint not null,
      changed_at bigint not null,
      primary key (hub, source)
    );
    alter table agent_tokens add column profile text;`,
};
