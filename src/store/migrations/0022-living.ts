import type { Migration } from './migration.ts';

/**
 * What makes a board one to live on: labels, finished tasks that are put out of sight (`shelved_at`), and for a person's
 * changes what was there before them, so that the last one can be taken back.
 */
export const living: Migration = {
  id: 22,
  name: 'living',
  sqlite: `
    alter table tasks add column shelved_at integer;

    create table task_labels (
      task_id text not null references tasks (id),
      label text not null,
      primary key (task_id, label)
    ) strict, without rowid;
    create index task_labels_by_label on task_labels (label, task_id);

    create table task_undos (
      id text primary key,
      actor text not null,
      task_id text not null,
      what text not null,
      before text,
      left_at integer not null,
      at integer not null
    ) strict, without rowid;
    create index task_undos_by_actor on task_undos (actor, id);`,
  postgres: `
    alter table tasks add column shelved_at bigint;

    create table task_labels (
      task_id text collate "C" not null references tasks (id),
      label text collate "C" not null,
      primary key (task_id, label)
    );
    create index task_labels_by_label on task_labels (label, task_id);

    create table task_undos (
      id text collate "C" primary key,
      actor text collate "C" not null,
      task_id text collate "C" not null,
      what text not null,
      before text,
      left_at bigint not null,
      at bigint not null
    );
    create index task_undos_by_actor on task_undos (actor, id);`,
};
