import type { Migration } from './migration.ts';

/**
 * Moments of sessions that are offered for memory. What a person has decided about keeps its digest alone, so that the same is not
 * offered again; `lesson_scans` says how far a session was looked through.
 */
export const lessons: Migration = {
  id: 43,
  name: 'lessons',
  schema: `
create table lessons (
  id exact primary key,
  host exact not null,
  owner exact not null,
  session exact not null,
  turn int not null,
  kind exact not null,
  title text not null,
  text text not null,
  digest exact not null,
  state exact not null,
  is_worded int not null,
  at int not null,
  decided_at int,
  fact exact,
  unique (host, owner, digest)
);
create index lessons_by_state on lessons (host, owner, state, at);
create index lessons_by_session on lessons (session);

create table lesson_scans (
  session exact primary key,
  turns int not null
);
`,
};
