import { pause } from '../../../kernel/clock.ts';
import { HubError, toHubError } from '../../../kernel/errors.ts';
import { translate } from './faults.ts';
import type { Pools } from './transactions.ts';

/** A look at the hub waits no longer for writers than this. */
const PATIENCE_MS = 1_000;

/** What a server says of itself; a standby and a database that was closed to changes answer every read. */
const STATE = `
  select pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' as closed`;

/**
 * Everything a change needs: the row that all of them write, and room for a new page. One message, which the
 * server runs as one transaction: a hub that is frozen meanwhile holds nobody up.
 */
const TRIAL = `
  update counters set value = value where name = 'events';
  create table write_trial as select 1 as one;
  drop table write_trial`;

/** Remembers that changes failed, and tries again when asked: a server that has room once more is well. */
export interface Trouble {
  /** A change failed, whatever for. */
  met(thrown: unknown): void;
  /** What keeps the server from saving now, in one sentence. */
  find(): Promise<string | undefined>;
}

export function createTrouble({ reads, writes }: Pools): Trouble {
  let fault: HubError | undefined;

  async function isClosed(): Promise<boolean> {
    try {
      return (await reads.query<{ closed: boolean }>(STATE)).rows[0]!.closed;
    } catch (thrown) {
      throw translate(thrown);
    }
  }

  async function tryAgain(): Promise<void> {
    try {
      await writes.query(TRIAL);
      fault = undefined;
    } catch (thrown) {
      const { code, message } = toHubError(translate(thrown));
      if (code === 'unavailable') fault = new HubError(code, message).because(thrown);
    }
  }

  return {
    met(thrown) {
      if (thrown instanceof HubError && thrown.code === 'unavailable') fault = thrown;
    },
    async find() {
      if (await isClosed()) return 'Nothing more can be saved: the PostgreSQL database is read-only.';
      if (fault) await Promise.race([tryAgain(), pause(PATIENCE_MS)]);
      return fault?.message;
    },
  };
}
