import type { Migration } from './migration.ts';

/** The public halves of the keys that hubs sign messages of runs with: hubs on one database read each other's. */
export const runSigners: Migration = {
  id: 28,
  name: 'run-signers',
  sqlite: 'create table run_signers (verifier text primary key) strict, without rowid;',
  postgres: 'create table run_signers (verifier text collate "C" primary key);',
};
