import type { Client, Pool } from 'pg';
import type { Log } from '../../../kernel/log.ts';

/** NOTIFY inside a transaction slows every commit down, so it is sent afterwards, one for many. */
export function createNotifier(
  pool: Pool,
  channel: string,
  log: Log,
): { touch(): void; idle(): Promise<void> } {
  let sending: Promise<void> | undefined;
  let wanted = false;

  async function send(): Promise<void> {
    while (wanted) {
      wanted = false;
      try {
        await pool.query({
          name: 'holdfast_notify',
          text: 'select pg_notify($1, $2)',
          values: [channel, ''],
        });
      } catch (thrown) {
        // Listeners also look by themselves now and then, so a lost notification only costs time.
        log.debug('A notification was not sent.', { error: thrown });
      }
    }
    sending = undefined;
  }

  return {
    touch() {
      wanted = true;
      sending ??= send();
    },
    async idle() {
      await sending;
    },
  };
}

const SLOW_LOOK_MS = 2_000;

/** LISTEN on a connection of its own, reconnecting, with a slow look as a net for notifications lost meanwhile. */
export function listen(connect: () => Client, channel: string, onChange: () => void): () => void {
  let stopped = false;
  let client: Client | undefined;
  let retry: NodeJS.Timeout | undefined;

  async function start(delay: number): Promise<void> {
    const mine = connect();
    client = mine;
    let failed = false;
    const again = () => {
      if (failed) return;
      failed = true;
      mine.end().catch(() => undefined);
      if (stopped) return;
      retry = setTimeout(() => void start(Math.min(delay * 2, 5_000)), delay);
      retry.unref();
    };
    mine.on('error', again);
    mine.on('end', again);
    mine.on('notification', onChange);
    try {
      await mine.connect();
      await mine.query(`listen "${channel}"`);
      if (stopped) await mine.end();
      else onChange();
    } catch {
      again();
    }
  }

  void start(100);
  const look = setInterval(onChange, SLOW_LOOK_MS);
  look.unref();
  return () => {
    stopped = true;
    clearInterval(look);
    clearTimeout(retry);
    client?.end().catch(() => undefined);
  };
}
