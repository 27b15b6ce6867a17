import type { Migration } from './migration.ts';

/** What is shown newest first is read along an index: all mail, and what a search of the board looks through. */
export const newest: Migration = {
  id: 56,
  name: 'newest',
  schema: `
create index peer_messages_by_time on peer_messages (created_at, id);
create index tasks_by_change on tasks (updated_at, id) where dropped = 0;
`,
};
