import type { Migration } from './migration.ts';

/**
 * What a fact or a procedure cites, who said last that it holds, who refuted it and why; which reader was given what
 * (`memory_given`), and who has still to hear that it was refuted (`memory_tidings`). `reader`: a digest of who it was.
 */
export const standing: Migration = {
  id: 39,
  name: 'standing',
  schema: `
alter table memory_facts add column cites text;
alter table memory_facts add column confirmed_by text;
alter table memory_facts add column confirmed_at int;
alter table memory_facts add column refuted_by text;
alter table memory_facts add column refuted_at int;
alter table memory_facts add column refuted_why text;
create index memory_facts_citing on memory_facts (id) where cites is not null;
alter table memory_procedures add column cites text;
alter table memory_procedures add column confirmed_by text;
alter table memory_procedures add column confirmed_at int;
create index memory_procedures_citing on memory_procedures (id) where cites is not null;
create table memory_given (
  item exact not null,
  reader exact not null,
  at int not null,
  primary key (item, reader)
) rowless;
create index memory_given_old on memory_given (at);
create table memory_tidings (
  reader exact not null,
  item exact not null,
  read_at int not null,
  at int not null,
  primary key (reader, item)
) rowless;
create index memory_tidings_old on memory_tidings (at);
`,
};
