import type { Query, Tx } from '../../store/database.ts';
import { sql } from '../../store/sql.ts';
import type { StoredReservation } from './reservation.ts';

type Row = {
  id: string;
  task_id: string;
  fence: number;
  root: string;
  pattern: string;
  exclusive: number;
  reason: string | null;
  created_at: number;
};

const columns = sql.raw('id, task_id, fence, root, pattern, exclusive, reason, created_at');

function toReservation(row: Row): StoredReservation {
  return {
    id: row.id,
    taskId: row.task_id,
    fence: row.fence,
    root: row.root,
    pattern: row.pattern,
    exclusive: row.exclusive === 1,
    reason: row.reason,
    createdAt: row.created_at,
  };
}

/**
 * Reserving the same pattern again under one claim changes the note, not the number of notes. Whoever
 * reserves is alone with it (`tx.lock('reservations')`), so looking before leaping is safe.
 */
export async function putReservation(tx: Tx, given: StoredReservation): Promise<StoredReservation> {
  const exclusive = given.exclusive ? 1 : 0;
  const known = await tx.get<Row>(sql`
    update file_reservations
    set exclusive = ${exclusive}, reason = ${given.reason}
    where task_id = ${given.taskId} and fence = ${given.fence}
      and root = ${given.root} and pattern = ${given.pattern}
    returning ${columns}`);
  if (known) return toReservation(known);
  await tx.run(sql`
    insert into file_reservations (${columns})
    values (${given.id}, ${given.taskId}, ${given.fence}, ${given.root}, ${given.pattern}, ${exclusive},
      ${given.reason}, ${given.createdAt})`);
  return given;
}

export type ReservationFilter = Readonly<{ taskId?: string | undefined; root?: string | undefined }>;

export async function listReservations(
  q: Query,
  { taskId, root }: ReservationFilter,
): Promise<StoredReservation[]> {
  const rows = await q.all<Row>(sql`
    select ${columns}
    from file_reservations
    where true
      ${taskId === undefined ? sql.empty : sql`and task_id = ${taskId}`}
      ${root === undefined ? sql.empty : sql`and root = ${root}`}
    order by id`);
  return rows.map(toReservation);
}

export async function removeReservations(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.run(sql`delete from file_reservations where id in ${sql.in(ids)}`);
}
