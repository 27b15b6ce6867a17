// The store on PostgreSQL. All hubs keep the server's time, because they must agree when a lease ends.
import pg from 'pg';
import { pause, systemClock } from '../../../kernel/clock.ts';
import { HubError } from '../../../kernel/errors.ts';
import type { Event } from '../../../kernel/event.ts';
import type { Database } from '../../database.ts';
import { eventsAfter, readFloor, readHead } from '../../events.ts';
import { createFeed } from '../../feed.ts';
import type { OpenOptions } from '../../options.ts';
import type { Sql } from '../../sql.ts';
import { postgresDialect } from './dialect.ts';
import { isConnectionLoss, translate } from './faults.ts';
import { migrate } from './migrate.ts';
import { createNotifier, listen } from './notify.ts';
import { named } from './statements.ts';
import { createTransactions } from './transactions.ts';

const CLOCK_MS = 60_000;

export async function openPostgres(url: string, options: OpenOptions): Promise<Database> {
  const schema = options.schema ?? 'holdfast';
  if (!/^[a-z_][a-z0-9_]{0,50}$/.test(schema))
    throw new HubError('invalid', `"${schema}" is not a schema name we use.`);
  // Our statements take milliseconds; compiling one, which the planner's guesses bring about, takes dozens.
  const config: pg.ClientConfig = {
    connectionString: url,
    application_name: `holdfast ${schema}`,
    options: `-c search_path=${schema} -c statement_timeout=30000 -c idle_in_transaction_session_timeout=30000 -c default_transaction_isolation=read\\ committed -c jit=off`,
    types: { getTypeParser: parserFor as typeof pg.types.getTypeParser },
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // A statement need not wait for the answer to the one before: `begin` and `commit` of a read travel with its statements.
    pipeline: true,
  };
  const version = await migrateFirst(config, schema, options);
  const pool = new pg.Pool({ ...config, max: options.poolSize ?? 8, idleTimeoutMillis: 30_000 });
  // A client that the server cuts off says so as an event; the statement under way fails by itself.
  pool.on('error', (error) => options.log.debug('An idle database connection was lost.', { error }));
  pool.on('connect', (client) => client.on('error', () => undefined));
  return assemble({ config, schema, version, pool, options });
}

async function migrateFirst(config: pg.ClientConfig, schema: string, options: OpenOptions): Promise<number> {
  const deadline = performance.now() + (options.patienceMs ?? 5_000);
  for (;;) {
    const client = new pg.Client(config);
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await migrate(client, schema);
    } catch (thrown) {
      if (thrown instanceof HubError) throw thrown;
      if (!isConnectionLoss(thrown) || performance.now() > deadline) throw unreachable(thrown);
      await pause(200);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

type Parts = {
  config: pg.ClientConfig;
  schema: string;
  version: number;
  pool: pg.Pool;
  options: OpenOptions;
};

async function assemble({ config, schema, version, pool, options }: Parts): Promise<Database> {
  const { clock, hub, log } = options;
  const channel = `holdfast_${schema}`;
  const notifier = createNotifier(pool, channel, log);
  const follow =
    clock === systemClock ? await followServerClock(pool) : { offset: () => 0, stop: () => undefined };
  const now = () => clock.now() + follow.offset();
  let closed = false;

  async function ask<R>(statement: Sql): Promise<R> {
    try {
      return (await pool.query(named(statement))).rows[0] as R;
    } catch (thrown) {
      throw translate(thrown);
    }
  }

  const feed = createFeed({
    head: async () => (await ask<{ value: number }>(readHead)).value,
    floor: async () => (await ask<{ value: number }>(readFloor)).value,
    after: (seq, limit) => transactions.read((q) => eventsAfter(q, seq, limit)),
    watch: (onChange) => listen(() => new pg.Client(config), channel, onChange),
  });
  const transactions = createTransactions(pool, {
    hub,
    maxQueue: options.maxQueue ?? 10_000,
    patienceMs: options.patienceMs ?? 5_000,
    now,
    onBatch: options.onBatch,
    onCommit(events: readonly Event[]) {
      if (events.length === 0) return;
      feed.committed(events);
      notifier.touch();
    },
  });
  const unwritten = new Set<Promise<unknown>>();
  const flush = async () => void (await Promise.allSettled(unwritten));
  const open = () => {
    if (closed) throw new HubError('unavailable', 'The database is closed.');
  };
  return {
    engine: 'postgres',
    dialect: postgresDialect,
    feed,
    schema: version,
    now,
    async read(unit) {
      open();
      return transactions.read(unit);
    },
    async write(actor, unit, once) {
      open();
      return transactions.write(actor, unit, once);
    },
    async writeSoon(actor, unit) {
      open();
      const written = transactions.write(actor, unit);
      unwritten.add(written);
      return written.finally(() => unwritten.delete(written));
    },
    flush,
    // What the server cannot save it says itself, and a server that is away is found by the first read.
    trouble: async () => undefined,
    async close() {
      await flush();
      closed = true;
      follow.stop();
      feed.close();
      await notifier.idle();
      await pool.end();
    },
  };
}

/** Hubs on several machines must agree when a lease ends, so all of them keep the server's time. */
async function followServerClock(pool: pg.Pool): Promise<{ offset(): number; stop(): void }> {
  let offset = 0;
  async function measure(): Promise<void> {
    const before = Date.now();
    const { rows } = await pool.query<{ ms: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms',
    );
    offset = Math.round(rows[0]!.ms - (before + Date.now()) / 2);
  }
  await measure();
  const timer = setInterval(() => void measure().catch(() => undefined), CLOCK_MS);
  timer.unref();
  return { offset: () => offset, stop: () => clearInterval(timer) };
}

/** int8 and numeric arrive as numbers: our integers are times and counts, far below 2^53. */
function parserFor(oid: number, format?: 'text' | 'binary'): unknown {
  return oid === 20 || oid === 1700 ? Number : pg.types.getTypeParser(oid, format);
}

/** Never shows the URL: it may hold a password. */
function unreachable(cause: unknown): HubError {
  return new HubError(
    'unavailable',
    'The PostgreSQL database cannot be opened.',
    {
      hint: 'Check HOLDFAST_DATABASE_URL, that the server runs, and that the user may create a schema.',
    },
    cause,
  );
}
