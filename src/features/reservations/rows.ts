import type { Query, Tx } from '../../store/database.ts';
import { sql } from '../../store/sql.ts';
import { flag, number, type RecordOf, table, text, textOrNull } from '../../store/table.ts';

const reservations = table('file_reservations', {
  id: text(),
  taskId: text(),
  /** It lives as long as the claim with this fence does. */
  fence: number(),
  root: text(),
  pattern: text(),
  exclusive: flag(),
  reason: textOrNull(),
  createdAt: number(),
});
export type StoredReservation = Readonly<RecordOf<typeof reservations.fields>>;

/**
 * Reserving the same pattern again under one claim changes the note, not the number of notes. Whoever
 * reserves is alone with it (`tx.lock('reservations')`), so looking before leaping is safe.
 */
export async function putReservation(tx: Tx, given: StoredReservation): Promise<StoredReservation> {
  const { taskId, fence, root, pattern, exclusive, reason } = given;
  const known = await reservations.get(
    tx,
    sql`
    update file_reservations
    set ${reservations.assign({ exclusive, reason })}
    where task_id = ${taskId} and fence = ${fence} and root = ${root} and pattern = ${pattern}
    returning ${reservations.columns}`,
  );
  if (known) return known;
  await reservations.insert(tx, given);
  return given;
}

export type ReservationFilter = Readonly<{ taskId?: string | undefined; root?: string | undefined }>;

export function listReservations(
  q: Query,
  { taskId, root }: ReservationFilter,
): Promise<StoredReservation[]> {
  return reservations.list(
    q,
    sql`where true ${taskId === undefined ? sql.empty : sql`and task_id = ${taskId}`}
      ${root === undefined ? sql.empty : sql`and root = ${root}`}
    order by id`,
  );
}

export async function removeReservations(tx: Tx, ids: readonly string[]): Promise<void> {
  await reservations.delete(tx, sql`where id in ${sql.in(ids)}`);
}
