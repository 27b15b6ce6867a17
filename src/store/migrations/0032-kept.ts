import type { Migration } from './migration.ts';

/**
 * `task_imports`: tasks of an import that is not whole yet. What they wait for may still be on its way, so nobody may
 * take them. `being_past`: what a document or a relation of a Being said before it was replaced; secrets stay sealed.
 */
export const kept: Migration = {
  id: 32,
  name: 'kept',
  schema: `
create table task_imports (
  task_id exact primary key references tasks (id),
  import_id exact not null
) rowless;
create index task_imports_by_import on task_imports (import_id);

create table being_past (
  being_id exact not null references beings (id),
  id exact not null,
  target exact not null,
  name exact not null,
  content text not null,
  location text,
  at int not null,
  primary key (being_id, id)
);
create index being_past_by_name on being_past (being_id, target, name, id);
`,
};
