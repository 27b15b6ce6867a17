import type { Migration } from './migration.ts';

/** Where targets are pushed, as a person confirmed it, and the pull requests of tasks. */
export const remotes: Migration = {
  id: 46,
  name: 'remotes',
  schema: `
create table land_remotes (
  repository exact not null,
  remote exact not null,
  url text not null,
  confirmed_at int not null,
  primary key (repository, remote)
);

create table pull_requests (
  task_id exact primary key,
  project exact not null,
  repository text not null,
  branch exact not null,
  head exact not null,
  slug exact not null,
  number int not null,
  url text not null,
  state exact not null,
  heard text not null,
  problem text,
  synced_at int not null,
  created_at int not null
);
create index pull_requests_open on pull_requests (state, synced_at);
`,
};
