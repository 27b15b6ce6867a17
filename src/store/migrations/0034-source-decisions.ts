import type { Migration } from './migration.ts';

/** Definitions that a person rejected, and what had been approved before the last approval, so that it can be taken back. */
export const sourceDecisions: Migration = {
  id: 34,
  name: 'source decisions',
  schema: `
alter table source_tools add column rejected_hash text;
alter table source_tools add column rejected_by text;
alter table source_tools add column rejected_at int;
alter table source_tools add column prior_hash text;
alter table source_tools add column prior_definition text;
alter table source_tools add column prior_by text;
alter table source_tools add column prior_at int;
`,
};
