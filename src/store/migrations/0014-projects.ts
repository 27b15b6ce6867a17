import type { Migration } from './migration.ts';

/**
 * Projects are teams that were found in a working folder. A key belongs to one project for good: that it is
 * the primary key is what keeps two processes that start at the same instant from making two projects of
 * one repository.
 */
export const projects: Migration = {
  id: 14,
  name: 'projects',
  sqlite: `
    create table projects (
      team_id text primary key,
      name text not null,
      created_at integer not null
    ) strict, without rowid;
    create table project_keys (
      kind text not null,
      value text not null,
      team_id text not null references projects (team_id),
      created_at integer not null,
      primary key (kind, value)
    ) strict, without rowid;
    create index project_keys_by_team on project_keys (team_id);`,
  postgres: `
    create table projects (
      team_id text collate "C" primary key,
      name text not null,
      created_at bigint not null
    );
    create table project_keys (
      kind text collate "C" not null,
      value text collate "C" not null,
      team_id text collate "C" not null references projects (team_id),
      created_at bigint not null,
      primary key (kind, value)
    );
    create index project_keys_by_team on project_keys (team_id);`,
};
