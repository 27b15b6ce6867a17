import type { Migration } from './migration.ts';

/**
 * Several runs that try the same task, and which of them was picked. `rerun`: a conflict is solved by another run, wanted or
 * by its id, until that is over.
 */
export const trials: Migration = {
  id: 45,
  name: 'trials',
  schema: `
create table run_trials (
  id exact primary key,
  task_id exact not null,
  team exact,
  owner exact not null,
  repository text,
  picked exact,
  settled_at int,
  closed_at int,
  tidied int not null default 0,
  created_at int not null
);
create index run_trials_by_task on run_trials (task_id, id);
alter table runs add column trial exact;
create index runs_of_trial on runs (trial, id) where trial is not null;
create index check_evidence_by_commit on check_evidence (commit_id, id);
alter table landings add column rerun exact;
create index landings_rerun on landings (rerun) where rerun is not null;
`,
};
