import type { Query, Tx } from '../../../store/database.ts';
import { type Sql, sql } from '../../../store/sql.ts';
import { jsonOrNull, number, type RecordOf, table, text, textOrNull } from '../../../store/table.ts';

/** How a delivery proves to its receiver where it comes from. */
export type HookAuth = Readonly<{ token?: string; scheme?: string; credentials?: string }>;

const columns = {
  id: text(),
  owner: text(),
  team: textOrNull(),
  runId: textOrNull(),
  url: text(),
  secret: text(),
  /** Kinds of events, separated by commas. */
  kinds: text(),
  /** How a delivery looks: all events of a batch as ours, or one message of A2A per event. */
  form: text<'json' | 'a2a'>(),
  /** What an A2A client calls it. */
  name: textOrNull(),
  auth: jsonOrNull<HookAuth>(),
  createdAt: number(),
};
export type Hook = Readonly<RecordOf<typeof columns>>;
const hooks = table('run_hooks', columns);

export const insertHook = (tx: Tx, hook: Hook): Promise<void> => hooks.insert(tx, hook);

const listWhere = (q: Query, condition: Sql): Promise<Hook[]> =>
  hooks.list(q, sql`where ${condition} order by id`);

export const listHooks = (q: Query): Promise<Hook[]> => listWhere(q, sql`form = 'json'`);

/** What A2A clients have set for one run. */
export const pushHooksOf = (q: Query, runId: string): Promise<Hook[]> =>
  listWhere(q, sql`run_id = ${runId} and form = 'a2a'`);

/** Those that hear of a run. */
export const hooksFor = (q: Query, runId: string): Promise<Hook[]> =>
  listWhere(q, sql`run_id is null or run_id = ${runId}`);

export function findHook(q: Query, id: string): Promise<Hook | undefined> {
  return hooks.find(q, sql`where id = ${id}`);
}

export function dropHook(tx: Tx, id: string): Promise<number> {
  return hooks.delete(tx, sql`where id = ${id}`);
}

/** Those of runs that are no longer there. */
export function dropOrphanHooks(tx: Tx): Promise<number> {
  return hooks.delete(
    tx,
    sql`where run_id is not null and not exists (select 1 from runs where runs.id = run_hooks.run_id)`,
  );
}
