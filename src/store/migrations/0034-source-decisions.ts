import type { Migration } from './migration.ts';

const texts = ['rejected_hash', 'rejected_by', 'prior_hash', 'prior_definition', 'prior_by'];
const times = ['rejected_at', 'prior_at'];

const add = (names: readonly string[], type: string) =>
  names.map((name) => `alter table source_tools add column ${name} ${type};`).join('\n');

/** Definitions that a person rejected, and what had been approved before the last approval, so that it can be taken back. */
export const sourceDecisions: Migration = {
  id: 34,
  name: 'source decisions',
  sqlite: `${add(texts, 'text')}\n${add(times, 'integer')}`,
  postgres: `${add(texts, 'text')}\n${add(times, 'bigint')}`,
};
