import type { Migration } from './migration.ts';

/** Which mirror has what an attempt pushed: every hub has its own, and the next attempt may begin at another. */
export const pushedWhere: Migration = {
  id: 58,
  name: 'pushed-where',
  schema: `
alter table run_attempts add column mirror exact;
`,
};
