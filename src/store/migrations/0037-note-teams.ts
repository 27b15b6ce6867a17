import type { Migration } from './migration.ts';

/** Two teams may have an agent of the same name: a note belongs to the one of its team. */
export const noteTeams: Migration = {
  id: 37,
  name: 'note teams',
  sqlite: 'alter table tool_notes add column team_id text;',
  postgres: 'alter table tool_notes add column team_id text collate "C";',
};
