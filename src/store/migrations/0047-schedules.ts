import type { Migration } from './migration.ts';

/** When agents are started without anybody asking for it at that moment, and what came of each time. */
export const schedules: Migration = {
  id: 47,
  name: 'schedules',
  schema: `
create table schedules (
  id exact primary key,
  kind exact not null,
  wanted text not null,
  pattern text not null,
  tz exact not null,
  missed exact not null,
  agent exact not null,
  prompt text not null,
  folder text,
  team exact,
  paused int not null default 0,
  made_by exact not null,
  by_agent exact,
  hops int not null default 0,
  secret text,
  next_at int,
  last_at int,
  planned_at int not null,
  created_at int not null
);
create index schedules_due on schedules (paused, next_at);
create index schedules_planned on schedules (paused, planned_at);
create index schedules_by_kind on schedules (kind, paused);

create table schedule_fires (
  id exact primary key,
  schedule_id exact not null references schedules (id) on delete cascade,
  key exact not null,
  at int not null,
  state exact not null,
  cause text not null,
  task_id exact,
  run_id exact,
  error text,
  created_at int not null,
  ended_at int
);
create unique index schedule_fires_once on schedule_fires (schedule_id, key);
create index schedule_fires_by_time on schedule_fires (schedule_id, at);
create index schedule_fires_by_task on schedule_fires (task_id);
create index schedule_fires_by_age on schedule_fires (created_at);

create index runs_of_board_task on runs (board_task) where board_task is not null;
`,
};
