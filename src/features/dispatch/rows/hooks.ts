import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

export type Hook = Readonly<{
  id: string;
  owner: string;
  team: string | null;
  runId: string | null;
  url: string;
  secret: string;
  /** Kinds of events, separated by commas. */
  kinds: string;
  /** How a delivery looks: all events of a batch as ours, or one message of A2A per event. */
  form: 'json' | 'a2a';
  /** What an A2A client calls it. */
  name: string | null;
  auth: HookAuth | null;
  createdAt: number;
}>;

/** How a delivery proves to its receiver where it comes from. */
export type HookAuth = Readonly<{ token?: string; scheme?: string; credentials?: string }>;

type Row = Omit<Hook, 'auth'> & Readonly<{ auth: string | null }>;

const COLUMNS = sql.raw(`id, owner, team, run_id as "runId", url, secret, kinds, form, name, auth,
  created_at as "createdAt"`);

function fromRow(row: Row): Hook {
  return { ...row, auth: row.auth === null ? null : (JSON.parse(row.auth) as HookAuth) };
}

export async function insertHook(tx: Tx, hook: Hook): Promise<void> {
  await tx.run(sql`
    insert into run_hooks (id, owner, team, run_id, url, secret, kinds, form, name, auth, created_at)
    values (${hook.id}, ${hook.owner}, ${hook.team}, ${hook.runId}, ${hook.url}, ${hook.secret}, ${hook.kinds}, ${hook.form},
      ${hook.name}, ${hook.auth === null ? null : JSON.stringify(hook.auth)}, ${hook.createdAt})`);
}

export async function listHooks(q: Query, form: Hook['form'] = 'json'): Promise<Hook[]> {
  const rows = await q.all<Row>(sql`select ${COLUMNS} from run_hooks where form = ${form} order by id`);
  return rows.map(fromRow);
}

/** What A2A clients have set for one run. */
export async function pushHooksOf(q: Query, runId: string): Promise<Hook[]> {
  const rows = await q.all<Row>(
    sql`select ${COLUMNS} from run_hooks where run_id = ${runId} and form = 'a2a' order by id`,
  );
  return rows.map(fromRow);
}

export async function findHook(q: Query, id: string): Promise<Hook | undefined> {
  const row = await q.get<Row>(sql`select ${COLUMNS} from run_hooks where id = ${id}`);
  return row && fromRow(row);
}

export async function hooksFor(q: Query, runId: string): Promise<Hook[]> {
  const rows = await q.all<Row>(
    sql`select ${COLUMNS} from run_hooks where run_id is null or run_id = ${runId} order by id`,
  );
  return rows.map(fromRow);
}

export function dropHook(tx: Tx, id: string): Promise<number> {
  return tx.run(sql`delete from run_hooks where id = ${id}`);
}

/** Those of runs that are no longer there. */
export function dropOrphanHooks(tx: Tx): Promise<number> {
  return tx.run(sql`
    delete from run_hooks
    where run_id is not null and not exists (select 1 from runs where runs.id = run_hooks.run_id)`);
}
