import type { Migration } from './migration.ts';

/**
 * Whose a peer and a circle are, so that one team's folders are not another's to see; and the signed attach URLs that
 * were taken back, until they would have run out by themselves.
 */
const tables = (int: string, kind: string) => `
    alter table peers add column team text;

    create table peer_circles (
      circle text primary key,
      team text not null,
      opened_at ${int} not null
    )${kind};

    create table attach_revocations (
      id text primary key,
      revoked_at ${int} not null,
      until ${int} not null
    )${kind};`;

export const doors: Migration = {
  id: 17,
  name: 'doors',
  sqlite: tables('integer', ' strict, without rowid'),
  postgres: tables('bigint', ''),
};
