import type { Migration } from './migration.ts';

/**
 * Words that an item of recall lacks and that somebody asked with before taking it. `scope_no` says what the asker saw,
 * `used_by` is a digest. Deleted with the item.
 */
export const learnt: Migration = {
  id: 29,
  name: 'learnt',
  sqlite: `
    create table recall_learnt (
      word text not null,
      no integer not null,
      scope_no integer not null references recall_scopes (no),
      used_by text not null,
      at integer not null,
      primary key (word, no, scope_no, used_by)
    ) strict, without rowid;
    create index recall_learnt_by_item on recall_learnt (no);`,
  postgres: `
    create table recall_learnt (
      word text collate "C" not null,
      no bigint not null,
      scope_no bigint not null references recall_scopes (no),
      used_by text collate "C" not null,
      at bigint not null,
      primary key (word, no, scope_no, used_by)
    );
    create index recall_learnt_by_item on recall_learnt (no);`,
};
