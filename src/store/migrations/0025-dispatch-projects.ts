import type { Migration } from './migration.ts';

/**
 * Which project a run belongs to, so that projects have limits of their own; and what an A2A client wants with its push
 * notifications: its own name for them (`name`) and the words that prove who posts (`auth`).
 */
export const dispatchProjects: Migration = {
  id: 25,
  name: 'dispatch-projects',
  sqlite: body('text'),
  postgres: body('text collate "C"'),
};

function body(text: string): string {
  return `
    alter table runs add column project ${text};
    create index runs_of_project on runs (project, created_at) where project is not null;

    alter table run_hooks add column name ${text};
    alter table run_hooks add column auth text;
    create index run_hooks_of_run on run_hooks (run_id);`;
}
