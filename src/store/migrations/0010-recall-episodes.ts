import type { Migration } from './migration.ts';

/** The day of an occasion is part of its key, so that two conversations with the same labels can be written at once. */
export const recallEpisodes: Migration = {
  id: 10,
  name: 'recall-episodes',
  sqlite: `
    alter table recall_episodes drop column day;`,
  postgres: `
    alter table recall_episodes drop column day;`,
};
