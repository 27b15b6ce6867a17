import type { Migration } from './migration.ts';

/** One item per fingerprint, so that looking for a near-duplicate and leaving one's own fingerprint is one step. */
export const recallSketches: Migration = {
  id: 12,
  name: 'recall-sketches',
  sqlite: `
    create table recall_sketches_once (
      key integer primary key,
      no integer not null
    ) strict;
    insert into recall_sketches_once (key, no)
      select key, min(no)
      from recall_sketches
      group by key;
    drop table recall_sketches;
    alter table recall_sketches_once rename to recall_sketches;`,
  postgres: `
    create table recall_sketches_once (
      key bigint primary key,
      no bigint not null
    );
    insert into recall_sketches_once (key, no)
      select key, min(no)
      from recall_sketches
      group by key;
    drop table recall_sketches;
    alter table recall_sketches_once rename to recall_sketches;`,
};
