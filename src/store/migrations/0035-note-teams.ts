import type { Migration } from './migration.ts';

/** Two teams may have an agent of the same name: a note belongs to the one of its team. */
export const noteTeams: Migration = {
  id: 35,
  name: 'note teams',
  schema: 'alter table tool_notes add column team_id exact;',
};
