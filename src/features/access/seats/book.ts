// Signs and ends of seats as they are written, with the events that tell of them.
import type { Database, Tx } from '../../../store/database.ts';
import type { SeatSigns } from './living-seat.ts';
import { endSeat, findSeat, type StoredSeat, signSeat } from './rows.ts';

export function createSeatBook(db: Database) {
  const tell = createTell(db);
  return {
    tell,

    /** Answers whether there is such a seat. One that was thought to have left is here again. */
    async sign(tx: Tx, seat: string, at: SeatSigns): Promise<boolean> {
      const row = await findSeat(tx, seat);
      if (!row) return false;
      await signSeat(tx, seat, at);
      if (row.endedAt !== null) tell(tx, 'seat.taken', row);
      return true;
    },

    async end(tx: Tx, seat: string): Promise<void> {
      const row = await findSeat(tx, seat);
      if (row && (await endSeat(tx, seat)) > 0) tell(tx, 'seat.left', row);
    },
  };
}

type Tell = (tx: Tx, kind: 'seat.taken' | 'seat.left', row: StoredSeat) => void;

/** Far more than people start clients, and little enough that thousands of connections fill no log. */
const TOLD = { atOnce: 50, perSecond: 2 };

/**
 * Who comes and goes is told, so that nobody has to ask again and again. In a flood of connections most are not: who
 * looks after one that was told sees them all.
 */
function createTell(db: Database): Tell {
  let left = TOLD.atOnce;
  let at = db.elapsed();
  return (tx, kind, { name, teamId: team, client, server }) => {
    const now = db.elapsed();
    left = Math.min(TOLD.atOnce, left + ((now - at) / 1000) * TOLD.perSecond);
    at = now;
    if (left < 1) return;
    left -= 1;
    tx.emit({ kind, subject: name, realm: 'hub', ...(team !== '' && { team }), data: { client, server } });
  };
}
