import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import {
  type ColumnKind,
  number,
  type RecordOf,
  type StoredRow,
  table,
  text,
  textOrNull,
} from '../../../store/table.ts';
import type { StoredTask } from '../task.ts';
import { readSaidIn, type SaidThere } from './said.ts';
import { tasks } from './tasks.ts';

/** What was there before: null where there was nothing, undefined where it cannot be taken back. */
const before: ColumnKind<unknown> = {
  read: (stored) => (stored === null ? undefined : (JSON.parse(stored as string) as unknown)),
  write: (value) => (value === undefined ? null : JSON.stringify(value)),
};

/** One change of one task. */
export const undos = table('task_undos', {
  id: text(),
  actor: text(),
  taskId: text(),
  /** The operation that was done. */
  what: text(),
  before,
  /** When the task was changed last: by this change, as long as nobody came after it. */
  leftAt: number(),
  at: number(),
  /** What was done in one go. */
  command: text(),
});
export type StoredUndo = Readonly<RecordOf<typeof undos.fields>>;

/** What a person did in one go, with all of its changes. */
const commands = table('task_commands', {
  actor: text(),
  command: text(),
  /** The newest of its changes. */
  last: text(),
  at: number(),
  /** Where it has its tasks from: the name of a file. */
  source: textOrNull(),
  changes: number(),
  added: number(),
});
export type StoredCommand = Readonly<RecordOf<typeof commands.fields>>;
type CommandKey = Pick<StoredCommand, 'actor' | 'command'>;

const isOf = ({ actor, command }: CommandKey) => sql`actor = ${actor} and command = ${command}`;

export function findCommand(q: Query, key: CommandKey): Promise<StoredCommand | undefined> {
  return commands.find(q, sql`where ${isOf(key)}`);
}

/** Counts in what it has changed since it was written last; what of it was not kept is counted as `lost`. */
export async function writeCommand(
  tx: Tx,
  key: CommandKey & Readonly<{ source: string | null }>,
  { lost }: Readonly<{ lost: number }> = { lost: 0 },
): Promise<void> {
  const known = await findCommand(tx, key);
  const fresh = (await tx.get<Readonly<{ changes: number; added: number; last: string | null }>>(sql`
    select count(*) as changes, coalesce(sum(case when before = 'null' then 1 else 0 end), 0) as added, max(id) as last
    from task_undos
    where ${isOf(key)} and id > ${known?.last ?? ''}`))!;
  if (fresh.last === null && lost === 0) return;
  const { changes = 0, added = 0, source = key.source } = known ?? {};
  const command: StoredCommand = {
    ...key,
    source,
    last: fresh.last ?? known!.last,
    at: tx.now,
    changes: changes + fresh.changes + lost,
    added: added + fresh.added,
  };
  await commands.put(tx, command, ['actor', 'command']);
  if (!known) await forgetOld(tx, key.actor);
}

/** No more than a person remembers; and of what would fill a disk, the last alone. */
const KEPT_COMMANDS = 1_000;
export const KEPT_CHANGES = 100_000;

async function forgetOld(tx: Tx, actor: string): Promise<void> {
  const old = await tx.all<Readonly<{ command: string }>>(sql`
    select command
    from (
      select command, row_number() over newest as place, sum(changes) over newest as total
      from task_commands
      where actor = ${actor}
      window newest as (order by last desc)
    ) as ranked
    where place > 1 and (place > ${KEPT_COMMANDS} or total > ${KEPT_CHANGES})`);
  for (const { command } of old) await forgetCommand(tx, { actor, command });
}

export async function forgetCommand(tx: Tx, key: CommandKey): Promise<void> {
  await undos.delete(tx, sql`where ${isOf(key)}`);
  await commands.delete(tx, sql`where ${isOf(key)}`);
}

/** Newest first. */
export function listCommands(q: Query, actor: string, limit: number): Promise<StoredCommand[]> {
  return commands.list(q, sql`where actor = ${actor} order by last desc limit ${limit}`);
}

/** What is left of all that was done in one go, the newest. */
export function nextOf(q: Query, key: CommandKey): Promise<StoredUndo | undefined> {
  return undos.find(q, sql`where ${isOf(key)} order by id desc limit 1`);
}

/** What a command has kept of one task. */
export function findUndo(q: Query, key: CommandKey, taskId: string): Promise<StoredUndo | undefined> {
  return undos.find(q, sql`where task_id = ${taskId} and ${isOf(key)} order by id desc limit 1`);
}

export async function rewriteUndo(
  tx: Tx,
  { taskId, ...key }: CommandKey & Pick<StoredUndo, 'taskId'>,
  before: unknown,
): Promise<void> {
  await undos.update(tx, { before }, sql`where task_id = ${taskId} and ${isOf(key)}`);
}

/** Those among its changes, as the tasks stand now. */
export async function leaveAsTheyAre(tx: Tx, key: CommandKey, taskIds: readonly string[]): Promise<void> {
  await tx.run(sql`
    update task_undos
    set left_at = (select updated_at from tasks where tasks.id = task_undos.task_id)
    where task_id ${tx.dialect.isOneOfTexts(taskIds)} and ${isOf(key)}`);
}

type Listed = Pick<StoredUndo, 'taskId' | 'what'> & Readonly<{ title: string; teamId: string | null }>;

/** The changes of a command, newest first, with the tasks they are about. */
export async function listChanges(
  q: Query,
  { actor, command }: CommandKey,
  limit: number,
): Promise<Listed[]> {
  return q.all<Listed>(sql`
    select task_id as "taskId", what, title, team_id as "teamId"
    from task_undos
    join tasks on tasks.id = task_undos.task_id
    where actor = ${actor} and command = ${command}
    order by task_undos.id desc
    limit ${limit}`);
}

export async function deleteUndo(tx: Tx, id: string): Promise<void> {
  await undos.delete(tx, sql`where id = ${id}`);
}

/** The change before the one that was taken back is the newest again, of a task that now bears another time. */
export async function carryUndos(
  tx: Tx,
  taskId: string,
  { from, to }: Readonly<{ from: number; to: number }>,
): Promise<void> {
  await undos.update(tx, { leftAt: to }, sql`where task_id = ${taskId} and left_at = ${from}`);
}

type AnyTask = Readonly<{ task: StoredTask; shelvedAt: number | null; said?: SaidThere }>;

/** Also what was taken off the board. Held against other writers: what is judged is what is taken back. */
export async function lockAnyTask(tx: Tx, id: string): Promise<AnyTask | undefined> {
  const row = await tx.get<
    StoredRow & Readonly<{ shelved_at: number | null; said_there: string | null }>
  >(sql`
    select ${tasks.columns}, shelved_at, said_there
    from tasks
    where id = ${id}
    ${tx.dialect.forChange}`);
  if (!row) return undefined;
  const said = readSaidIn(row);
  return { task: tasks.read(row), shelvedAt: row.shelved_at, ...(said && { said }) };
}
