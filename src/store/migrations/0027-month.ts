import type { Migration } from './migration.ts';

/**
 * What a month of use needs. `hub_imports` remembers which files were read in, so that the same one twice is nothing.
 * `memory_withheld` is where a fact stands that a person forgot and may still take back: out of every table that
 * anything reads, until `until`.
 */
export const month: Migration = {
  id: 27,
  name: 'month',
  sqlite: `
    create table hub_imports (
      digest text primary key,
      rows integer not null,
      at integer not null
    ) strict, without rowid;

    create table memory_withheld (
      id text primary key,
      scope_no integer not null references recall_scopes (no),
      kind text not null,
      entry text not null,
      at integer not null,
      until integer not null
    ) strict, without rowid;
    create index memory_withheld_due on memory_withheld (until);`,
  postgres: `
    create table hub_imports (
      digest text collate "C" primary key,
      rows bigint not null,
      at bigint not null
    );

    create table memory_withheld (
      id text collate "C" primary key,
      scope_no bigint not null references recall_scopes (no),
      kind text not null,
      entry text not null,
      at bigint not null,
      until bigint not null
    );
    create index memory_withheld_due on memory_withheld (until);`,
};
