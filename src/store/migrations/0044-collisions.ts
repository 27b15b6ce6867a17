import type { Migration } from './migration.ts';

/** Branches that somebody works on, what each has changed, and which of them do not go together. */
export const collisions: Migration = {
  id: 44,
  name: 'collisions',
  schema: `
create table watched_repositories (
  repository exact primary key,
  holder exact,
  held_until int not null default 0
);

create table living_branches (
  repository exact not null,
  branch exact not null,
  project exact not null,
  head exact not null,
  task_id exact,
  agent exact,
  paths text not null,
  is_whole int not null,
  primary key (repository, branch)
);

create table collisions (
  id exact primary key,
  project exact not null,
  repository exact not null,
  a exact not null,
  b exact not null,
  files text not null,
  created_at int not null,
  updated_at int not null
);
create unique index collisions_of_pair on collisions (repository, a, b);

create index tasks_with_branch on tasks (id) where branch_ref is not null and status not in ('done', 'cancelled');
`,
};
