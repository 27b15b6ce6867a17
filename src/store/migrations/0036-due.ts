import type { Migration } from './migration.ts';

/** `due`: a day, `YYYY-MM-DD`. `overdue_told`: the day that was told to have passed, so that each is told once. */
export const due: Migration = {
  id: 36,
  name: 'due',
  schema: `
alter table tasks add column due exact;
alter table tasks add column overdue_told exact;
create index tasks_by_due on tasks (due) where due is not null;
`,
};
