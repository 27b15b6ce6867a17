import type { Migration } from './migration.ts';

/**
 * What a person did in one go has a row of its own, so that a command of thousands of changes is found, named and forgotten
 * as one. What was done alone is a command of one change.
 */
export const commands: Migration = {
  id: 51,
  name: 'commands',
  schema: `
create table task_commands (
  actor exact not null,
  command exact not null,
  last exact not null,
  at int not null,
  source text,
  changes int not null,
  added int not null,
  primary key (actor, command)
) rowless;
create index task_commands_by_last on task_commands (actor, last);
update task_undos set command = id where command is null;
insert into task_commands (actor, command, last, at, source, changes, added)
  select actor, command, max(id), max(at), null, count(*), sum(case when before = 'null' then 1 else 0 end)
  from task_undos
  group by actor, command;
drop index task_undos_by_actor;
create index task_undos_by_command on task_undos (actor, command, id);
create index task_undos_by_task on task_undos (task_id, actor, command, id);
`,
};
