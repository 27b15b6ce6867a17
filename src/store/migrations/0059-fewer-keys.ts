import type { Migration } from './migration.ts';

/**
 * A task that nobody has claimed stands in no index of leases, and one of no team in no index of teams: none is looked for
 * there, and a new task is written to two indexes fewer.
 */
export const fewerKeys: Migration = {
  id: 59,
  name: 'fewer keys',
  schema: `
drop index tasks_leased;
drop index tasks_by_team;
create index tasks_leased on tasks (status, lease_until) where dropped = 0 and lease_until is not null;
create index tasks_by_team on tasks (team_id, id) where dropped = 0 and team_id is not null;
`,
};
