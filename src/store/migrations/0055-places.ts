import type { Migration } from './migration.ts';

/** Where a person has put a card among the others of its column (docs/guides/board.md), ways of looking at the board, and the runs of a task, for what it cost. */
export const places: Migration = {
  id: 55,
  name: 'places',
  schema: `
create table task_places (
  task_id exact primary key references tasks (id) on delete cascade,
  place exact not null
) rowless;
create table board_views (
  name exact primary key,
  search text not null,
  saved_at int not null
) rowless;
create index runs_of_task on runs (board_task) where board_task is not null;
`,
};
