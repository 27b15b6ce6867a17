import type { Migration } from './migration.ts';

/** Tasks of an import that is not whole yet: what they wait for may still be on its way, so nobody may take them. */
export const imports: Migration = {
  id: 32,
  name: 'imports',
  sqlite: `
    create table task_imports (
      task_id text primary key references tasks (id),
      import_id text not null
    ) strict, without rowid;
    create index task_imports_by_import on task_imports (import_id);`,
  postgres: `
    create table task_imports (
      task_id text collate "C" primary key references tasks (id),
      import_id text collate "C" not null
    );
    create index task_imports_by_import on task_imports (import_id);`,
};
