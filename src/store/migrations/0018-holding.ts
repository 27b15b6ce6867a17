import type { Migration } from './migration.ts';

/**
 * Who sits where, and what a claim knows beyond its holder's name. `seats` has one row per connection or credential that
 * was ever heard of; a name is given to one living seat of a project at a time. A task that was assigned and not taken up
 * yet is `awaited`: its assignee holds it once it begins.
 */
export const holding: Migration = {
  id: 18,
  name: 'holding',
  sqlite: `
    alter table tasks add column awaited integer not null default 0;
    alter table tasks add column created_by text;
    alter table tasks add column created_seat text;
    alter table tasks add column assigned_by text;
    alter table tasks add column assigned_seat text;
    create index tasks_awaited on tasks (assignee_agent_id, claim_order, id) where awaited = 1;

    create table seats (
      seat text primary key,
      name text not null,
      is_bound integer not null,
      team_id text not null,
      client text not null,
      server text not null,
      pid integer,
      parent integer,
      host text,
      opened_at integer not null,
      called_at integer not null,
      seen_at integer not null,
      ended_at integer
    ) strict, without rowid;
    create index seats_living on seats (team_id, name) where ended_at is null;
    create index seats_by_sign on seats (seen_at);`,
  postgres: `
    alter table tasks add column awaited bigint not null default 0;
    alter table tasks add column created_by text collate "C";
    alter table tasks add column created_seat text collate "C";
    alter table tasks add column assigned_by text collate "C";
    alter table tasks add column assigned_seat text collate "C";
    create index tasks_awaited on tasks (assignee_agent_id, claim_order, id) where awaited = 1;

    create table seats (
      seat text collate "C" primary key,
      name text collate "C" not null,
      is_bound bigint not null,
      team_id text collate "C" not null,
      client text not null,
      server text not null,
      pid bigint,
      parent bigint,
      host text,
      opened_at bigint not null,
      called_at bigint not null,
      seen_at bigint not null,
      ended_at bigint
    );
    create index seats_living on seats (team_id, name) where ended_at is null;
    create index seats_by_sign on seats (seen_at);`,
};
