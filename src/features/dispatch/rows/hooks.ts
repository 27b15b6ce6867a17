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
  createdAt: number;
}>;

const COLUMNS = sql.raw(`id, owner, team, run_id as "runId", url, secret, kinds, created_at as "createdAt"`);

export async function insertHook(tx: Tx, hook: Hook): Promise<void> {
  await tx.run(sql`
    insert into run_hooks (id, owner, team, run_id, url, secret, kinds, form, created_at)
    values (${hook.id}, ${hook.owner}, ${hook.team}, ${hook.runId}, ${hook.url}, ${hook.secret}, ${hook.kinds}, 'json', ${hook.createdAt})`);
}

export function listHooks(q: Query): Promise<Hook[]> {
  return q.all<Hook>(sql`select ${COLUMNS} from run_hooks order by id`);
}

export function findHook(q: Query, id: string): Promise<Hook | undefined> {
  return q.get<Hook>(sql`select ${COLUMNS} from run_hooks where id = ${id}`);
}

export function hooksFor(q: Query, runId: string): Promise<Hook[]> {
  return q.all<Hook>(
    sql`select ${COLUMNS} from run_hooks where run_id is null or run_id = ${runId} order by id`,
  );
}

export function dropHook(tx: Tx, id: string): Promise<number> {
  return tx.run(sql`delete from run_hooks where id = ${id}`);
}
