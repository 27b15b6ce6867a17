import type { Migration } from './migration.ts';

/**
 * `task_imports`: tasks of an import that is not whole yet. What they wait for may still be on its way, so nobody may
 * take them. `being_past`: what a document or a relation of a Being said before it was replaced; secrets stay sealed.
 */
export const kept: Migration = {
  id: 32,
  name: 'kept',
  sqlite: `
    create table task_imports (
      task_id text primary key references tasks (id),
      import_id text not null
    ) strict, without rowid;
    create index task_imports_by_import on task_imports (import_id);
    create table being_past (
      being_id text not null references beings (id),
      id text not null,
      target text not null,
      name text not null,
      content text not null,
      location text,
      at integer not null,
      primary key (being_id, id)
    ) strict;
    create index being_past_by_name on being_past (being_id, target, name, id);`,
  postgres: `
    create table task_imports (
      task_id text collate "C" primary key references tasks (id),
      import_id text collate "C" not null
    );
    create index task_imports_by_import on task_imports (import_id);
    create table being_past (
      being_id text collate "C" not null references beings (id),
      id text collate "C" not null,
      target text collate "C" not null,
      name text collate "C" not null,
      content text not null,
      location text,
      at bigint not null,
      primary key (being_id, id)
    );
    create index being_past_by_name on being_past (being_id, target, name, id);`,
};
