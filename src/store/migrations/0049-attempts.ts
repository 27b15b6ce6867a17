import type { Migration } from './migration.ts';

/** Runs that any of several machines takes, one attempt after the other. See docs/design/pool.md. */
export const attempts: Migration = {
  id: 49,
  name: 'attempts',
  schema: `
alter table runs add column attempt int not null default 0;
alter table runs add column fence int not null default 0;
alter table runs add column runner exact;
alter table runs add column queued_at int;
alter table runs add column wait_until int;
alter table runs add column wants text not null default '{"needs":[],"retries":0}';
create index runs_queued on runs (queued_at, id) where state = 'pending';
create table run_attempts (
  run_id exact not null references runs (id) on delete cascade,
  n int not null,
  runner exact not null,
  machine exact not null,
  fence int not null,
  lease_until int not null,
  started_at int not null,
  ended_at int,
  ended_as exact,
  next_frame int not null,
  pushed exact,
  primary key (run_id, n)
) rowless;
create index run_attempts_open on run_attempts (lease_until) where ended_at is null;
`,
};
