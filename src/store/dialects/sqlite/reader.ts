import { HubError } from '../../../kernel/errors.ts';
import { createTurns } from '../../../kernel/turns.ts';
import type { Query } from '../../database.ts';
import { enterUnit, ForeignWatch, leaveUnit, refuseNesting } from '../../unit.ts';
import type { Connection } from './connection.ts';
import { SqliteReadUnit } from './statements.ts';

export interface Reader {
  read<T>(unit: (q: Query) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** A long row of reads gives the event loop a turn after this much time. */
const TURN_MS = 15;

/** Read units take turns on one connection, each in its own transaction, so that each sees one snapshot. */
export function createReader(connection: Connection): Reader {
  const turns = createTurns();
  /** Since when reads have kept this turn of the event loop; undefined where none has. */
  let turnStarted: number | undefined;
  let closed = false;

  /** Whoever reads page after page, each when the last one is there, waits for nothing but promises: no turn ends by itself. */
  async function takeTurn(): Promise<void> {
    if (turnStarted !== undefined && performance.now() - turnStarted > TURN_MS)
      await new Promise((resolve) => setImmediate(resolve));
    if (turnStarted !== undefined) return;
    turnStarted = performance.now();
    setImmediate(() => (turnStarted = undefined));
  }

  async function runUnit<T>(unit: (q: Query) => Promise<T>): Promise<T> {
    await takeTurn();
    const query = new SqliteReadUnit(connection);
    const watch = new ForeignWatch();
    connection.exec('begin');
    try {
      return await Promise.race([enterUnit('read', () => unit(query)), watch.caught]);
    } finally {
      watch.end();
      query.revoke();
      connection.exec('commit');
    }
  }

  return {
    async read<T>(unit: (q: Query) => Promise<T>): Promise<T> {
      refuseNesting('read');
      if (closed) throw new HubError('unavailable', 'The database is closed.');
      return leaveUnit(() => turns.take(() => runUnit(unit)));
    },
    async close() {
      closed = true;
      await turns.settled();
    },
  };
}
