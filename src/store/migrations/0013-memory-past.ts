import type { Migration } from './migration.ts';

/** What no longer holds is found by its text, so that an import knows the versions it has already. */
export const memoryPast: Migration = {
  id: 13,
  name: 'memory-past',
  sqlite: `
    create index memory_facts_past on memory_facts (scope_no, hash) where valid_to is not null;`,
  postgres: `
    create index memory_facts_past on memory_facts (scope_no, hash) where valid_to is not null;`,
};
