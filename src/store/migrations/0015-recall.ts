import type { Migration } from './migration.ts';

/**
 * Recall reads texts anew: `analysis` says which reading an item has, and what has an older one is read again in the
 * background, found by its old words meanwhile. Vault files are read again because their stamps are forgotten. Procedures
 * become items of recall: `no` is theirs once they are filed.
 */
export const recall: Migration = {
  id: 15,
  name: 'recall',
  sqlite: `
    alter table recall_items rename column traits to flags;
    alter table recall_items add column analysis integer not null default 1;
    create index recall_items_old on recall_items (no) where analysis < 2;
    alter table recall_sketches rename to recall_near_duplicates;
    alter table memory_procedures add column no integer;
    create index memory_procedures_filed on memory_procedures (no) where no is not null;
    update brain_memories set stamp = '';`,
  postgres: `
    alter table recall_items rename column traits to flags;
    alter table recall_items add column analysis bigint not null default 1;
    create index recall_items_old on recall_items (no) where analysis < 2;
    alter table recall_sketches rename to recall_near_duplicates;
    alter table memory_procedures add column no bigint;
    create index memory_procedures_filed on memory_procedures (no) where no is not null;
    update brain_memories set stamp = '';`,
};
