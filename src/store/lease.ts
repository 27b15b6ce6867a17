// One holder until a time. Whoever takes such a lease has it alone; when the time is over, or the holder
// gives it back, the next one has. The statement that decides is one statement, so two can never take the
// same.
import type { Tx } from './database.ts';
import { type Sql, sql } from './sql.ts';

/** Where a lease is kept: two columns of the row that it is about. */
type LeaseColumns = Readonly<{ table: string; key: string; holder: string; until: string }>;

export type LeaseHold = Readonly<{
  holder: string;
  ms: number;
  /** A holder known to be gone: what it had is free. */
  dead?: string | null;
  /**
   * As long as anybody ever takes it for: a time further ahead was set before the clock was set back, and is
   * nobody's.
   */
  longestMs?: number;
}>;

export interface Lease {
  /** For `set`. */
  taken(tx: Tx, hold: LeaseHold): Sql;
  /** For `where`: nobody else has it now. */
  isFree(tx: Tx, hold: LeaseHold): Sql;
  /** False while somebody else has it. */
  take(tx: Tx, key: string, hold: LeaseHold): Promise<boolean>;
  /** For `where`: this holder has it, also when its time is over and nobody came. */
  isHeld(key: string, holder: string): Sql;
  /** More time; false when somebody else has it now. */
  keep(tx: Tx, key: string, hold: LeaseHold): Promise<boolean>;
  free(tx: Tx, key: string, holder: string): Promise<void>;
}

/** Further ahead than this no other hub's clock is. */
export const CLOCKS_APART_MS = 10_000;

export function leaseIn(columns: LeaseColumns): Lease {
  const [table, key] = [sql.raw(columns.table), sql.raw(columns.key)];
  // In an upsert the bare name would be ambiguous.
  const [holder, until] = [columns.holder, columns.until].map((name) => sql.raw(`${columns.table}.${name}`));
  const [setLeaseHolder, setUntil] = [columns.holder, columns.until].map((name) => sql.raw(name));

  const taken: Lease['taken'] = (tx, hold) =>
    sql`${setLeaseHolder!} = ${hold.holder}, ${setUntil!} = ${tx.now + hold.ms}`;
  const isFree: Lease['isFree'] = ({ now }, { holder: own, dead, longestMs }) =>
    sql`(${sql.join(
      [
        sql`${holder!} is null or ${holder!} = ${own} or ${until!} <= ${now}`,
        ...(dead === undefined || dead === null ? [] : [sql`${holder!} = ${dead}`]),
        ...(longestMs === undefined ? [] : [sql`${until!} > ${now + longestMs + CLOCKS_APART_MS}`]),
      ],
      ' or ',
    )})`;
  const isHeld: Lease['isHeld'] = (id, own) => sql`${key} = ${id} and ${setLeaseHolder!} = ${own}`;

  return {
    taken,
    isFree,
    isHeld,
    async take(tx, id, hold) {
      const changed = await tx.run(sql`
        update ${table}
        set ${taken(tx, hold)}
        where ${key} = ${id} and ${isFree(tx, hold)}`);
      return changed > 0;
    },
    async keep(tx, id, { holder: own, ms }) {
      const changed = await tx.run(sql`
        update ${table}
        set ${setUntil!} = ${tx.now + ms}
        where ${isHeld(id, own)}`);
      return changed > 0;
    },
    async free(tx, id, own) {
      await tx.run(sql`
        update ${table}
        set ${setLeaseHolder!} = null, ${setUntil!} = 0
        where ${isHeld(id, own)}`);
    },
  };
}

/**
 * Renews a lease three times as often as it needs while the work goes on; the signal tells that it is lost.
 */
export async function whileKept<T>(
  leaseMs: number,
  renew: () => Promise<unknown>,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const renewal = setInterval(() => void renew().catch((error: unknown) => lost.abort(error)), leaseMs / 3);
  try {
    return await work(lost.signal);
  } finally {
    clearInterval(renewal);
  }
}
