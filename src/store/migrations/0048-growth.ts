import type { Migration } from './migration.ts';

/**
 * Lists of a team along an index of their own, open work and what is over apart as for all; and all four have what a count
 * asks for, so that it need not read the tasks.
 */
export const growth: Migration = {
  id: 48,
  name: 'growth',
  schema: `
drop index tasks_by_team;
drop index tasks_open;
drop index tasks_over;
create index tasks_by_team on tasks (team_id, id) where dropped = 0;
create index tasks_open on tasks (priority desc, created_at, id, status, shelved_at)
  where dropped = 0 and status not in ('done', 'cancelled');
create index tasks_over on tasks (coalesce(completed_at, created_at) desc, id desc, status, shelved_at)
  where dropped = 0 and status in ('done', 'cancelled');
create index tasks_open_by_team on tasks (team_id, priority desc, created_at, id, status, shelved_at)
  where dropped = 0 and status not in ('done', 'cancelled');
create index tasks_over_by_team on tasks (team_id, coalesce(completed_at, created_at) desc, id desc, status, shelved_at)
  where dropped = 0 and status in ('done', 'cancelled');
`,
};
