import type { Migration } from './migration.ts';

/**
 * What a person approves is what runs. Shapes are hashes beside a masked text, since arguments hold secrets;
 * grants belong to a credential; audit rows have the hash of the exact arguments. Shapes from before were
 * wider and are compared no more: their grants end, and what they had stored of arguments goes.
 */
const tables = (now: string) => `
    alter table tool_approvals add column shape_text text not null default '{}';
    alter table tool_approvals add column credential text not null default '';
    update tool_approvals set shape = '';

    alter table tool_grants add column shape_text text not null default '{}';
    alter table tool_grants add column credential text not null default '';
    update tool_grants set revoked_at = ${now}, revoked_by = 'holdfast: grants became narrower' where revoked_at is null;
    update tool_grants set shape = '';

    alter table tool_audit add column args_hash text;`;

export const govern: Migration = {
  id: 16,
  name: 'govern',
  sqlite: tables("cast(strftime('%s', 'now') as integer) * 1000"),
  postgres: tables('cast(extract(epoch from now()) as bigint) * 1000'),
};
