import type { Migration } from './migration.ts';

/**
 * Lists show what is open before what is over, each in an order of its own: two indexes where there was one. `command`: what
 * a person did in one go is taken back in one go.
 */
export const lists: Migration = {
  id: 38,
  name: 'lists',
  schema: `
drop index tasks_listed;
create index tasks_open on tasks (priority desc, created_at, id)
  where dropped = 0 and status not in ('done', 'cancelled');
create index tasks_over on tasks (coalesce(completed_at, created_at) desc, id desc)
  where dropped = 0 and status in ('done', 'cancelled');
alter table task_undos add column command exact;
`,
};
