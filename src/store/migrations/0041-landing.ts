import type { Migration } from './migration.ts';

/** What waits to land, who works on which target, and what checks of the hub found. */
export const landing: Migration = {
  id: 41,
  name: 'landing',
  schema: `
create table land_queues (
  key exact primary key,
  project exact not null,
  repository text not null,
  target exact not null,
  paused int not null default 0,
  resumed_at int not null default 0,
  intent text,
  holder exact,
  held_until int not null default 0,
  created_at int not null
);

create table landings (
  id exact primary key,
  queue exact not null references land_queues (key) on delete cascade,
  task_id exact not null,
  run_id exact,
  branch exact not null,
  head exact not null,
  title text not null,
  state exact not null,
  approved_by exact,
  protected text not null,
  batch exact,
  commit_id exact,
  tree exact,
  why text,
  conflicts text not null,
  evidence text not null,
  requested_by exact not null,
  requested_seat exact,
  created_at int not null,
  updated_at int not null
);
create index landings_by_queue on landings (queue, state, id);
create index landings_by_task on landings (task_id, id);

create table check_evidence (
  id exact primary key,
  project exact not null,
  check_name exact not null,
  commit_id exact not null,
  tree exact not null,
  definition exact not null,
  exit_code int not null,
  passed int not null,
  confined int not null,
  reused exact,
  flaky int not null default 0,
  ms int not null,
  tail text not null,
  failing text not null,
  digest exact not null,
  created_at int not null
);
create index check_evidence_by_tree on check_evidence (project, check_name, tree, definition);
`,
};
