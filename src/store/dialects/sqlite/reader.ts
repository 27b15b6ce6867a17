import { HubError } from '../../../kernel/errors.ts';
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
  let last: Promise<unknown> = Promise.resolve();
  let turnStarted = 0;
  let pending = 0;
  let closed = false;

  async function runUnit<T>(unit: (q: Query) => Promise<T>): Promise<T> {
    if (performance.now() - turnStarted > TURN_MS) {
      await new Promise((resolve) => setImmediate(resolve));
      turnStarted = performance.now();
    }
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
      if (pending++ === 0) turnStarted = performance.now();
      const mine = leaveUnit(() => last.then(() => runUnit(unit)));
      last = mine.then(
        () => (pending -= 1),
        () => (pending -= 1),
      );
      return mine;
    },
    async close() {
      closed = true;
      await last;
    },
  };
}
