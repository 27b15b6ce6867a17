import type { Migration } from './migration.ts';

/**
 * A vault's owner, beside the lease of whoever writes at the moment; and with the event of a memory that went, how
 * often and when it was last used, for the day its file comes back.
 */
export const vaultOwner: Migration = {
  id: 9,
  name: 'vault-owner',
  sqlite: `
    alter table brain_vaults add column owner text;
    alter table brain_vaults add column owned_until integer not null default 0;
    alter table credit_events add column access_count integer;
    alter table credit_events add column last_accessed integer;`,
  postgres: `
    alter table brain_vaults add column owner text;
    alter table brain_vaults add column owned_until bigint not null default 0;
    alter table credit_events add column access_count bigint;
    alter table credit_events add column last_accessed bigint;`,
};
