import type { Migration } from './migration.ts';

/** Who makes an attempt, as those know it who judge whether it lives, and the machines that say they take runs. */
export const pool: Migration = {
  id: 52,
  name: 'pool',
  schema: `
alter table run_attempts add column holder exact not null default '';
drop index run_attempts_open;
create index run_attempts_open on run_attempts (holder) where ended_at is null;
create table runners (
  name exact primary key,
  token_id exact,
  process exact not null,
  hub exact,
  machine exact not null,
  system exact not null,
  version exact not null,
  slots int not null,
  agents text not null,
  labels text not null,
  projects text not null,
  drained int not null,
  seen_at int not null
) rowless;
`,
};
