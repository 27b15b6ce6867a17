import type { Migration } from './migration.ts';

/** File reservations. A row counts only while its task is claimed under its fence; nothing else ends it. */
export const reservations: Migration = {
  id: 8,
  name: 'reservations',
  sqlite: `
    create table file_reservations (
      id text primary key,
      task_id text not null references tasks (id),
      fence integer not null,
      root text not null,
      pattern text not null,
      exclusive integer not null,
      reason text,
      created_at integer not null,
      unique (task_id, fence, root, pattern)
    ) strict, without rowid;
    create index file_reservations_by_root on file_reservations (root);`,
  postgres: `
    create table file_reservations (
      id text collate "C" primary key,
      task_id text collate "C" not null references tasks (id),
      fence bigint not null,
      root text collate "C" not null,
      pattern text collate "C" not null,
      exclusive bigint not null,
      reason text,
      created_at bigint not null,
      unique (task_id, fence, root, pattern)
    );
    create index file_reservations_by_root on file_reservations (root);`,
};
