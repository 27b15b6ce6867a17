import type { Migration } from './migration.ts';

/**
 * Runs that wait because a model takes no more, the parts of a run that was begun several times, and what sessions used when.
 */
export const quota: Migration = {
  id: 54,
  name: 'quota',
  schema: `
alter table runs add column quota text;
create index runs_parked on runs (wait_until) where reason = 'waiting_quota';
create index runs_used on runs (closed_at) where usage is not null;
create table run_parts (
  run_id exact not null references runs (id) on delete cascade,
  n int not null,
  instance exact not null,
  family exact not null,
  session_id exact,
  ended exact not null,
  text text,
  usage text,
  cost_usd real,
  started_at int not null,
  ended_at int not null,
  primary key (run_id, n)
) rowless;
create index run_parts_of_session on run_parts (session_id) where session_id is not null;
create index run_parts_used on run_parts (ended_at);
create table transcript_usage (
  session exact not null references transcripts (id) on delete cascade,
  at int not null,
  tokens int not null,
  cost_usd real not null,
  primary key (session, at)
) rowless;
create index transcript_usage_by_time on transcript_usage (at);
`,
};
