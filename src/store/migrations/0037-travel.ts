import type { Migration } from './migration.ts';

/**
 * `external_id`: what another tool calls a task. `said_there`: what its source said when it was last read in, so that a
 * second import tells what changed there from what was changed here. `task_stamps`: who last said what of a task that
 * travels in a file, and when (docs/design/board-sync.md).
 */
export const travel: Migration = {
  id: 37,
  name: 'travel',
  schema: `
alter table tasks add column external_id exact;
alter table tasks add column said_there text;
create index tasks_by_external_id on tasks (external_id) where external_id is not null;
create table task_stamps (
  task_id exact primary key,
  team_id exact not null,
  fields text not null
) rowless;
create index task_stamps_by_team on task_stamps (team_id, task_id);
`,
};
