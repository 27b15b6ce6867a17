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
import { followServerClock } from './server-clock.ts';
import { named } from './statements.ts';
import { createTransactions, type Pools } from './transactions.ts';
import { createTrouble } from './trouble.ts';

export async function openPostgres(url: string, options: OpenOptions): Promise<Database> {
  const schema = options.schema ?? 'holdfast';
  if (!/^[a-z_][a-z0-9_]{0,50}$/.test(schema))
    throw new HubError('invalid', `"${schema}" is not a schema name we use.`);
  const configFor = (waits: Waits): pg.ClientConfig => ({
    connectionString: url,
    application_name: `holdfast ${schema}`,
    options: sessionOptions(schema, waits),
    types: { getTypeParser: parserFor as typeof pg.types.getTypeParser },
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // A statement need not wait for the answer to the one before: `begin` and `commit` of a read travel with its statements.
    pipeline: true,
  });
  const version = await migrateFirst(configFor(MIGRATING), schema, options);
  const max = options.poolSize ?? 8;
  const poolFor = (config: pg.PoolConfig) => {
    const pool = new pg.Pool({ ...config, idleTimeoutMillis: 30_000 });
    // A client that the server cuts off says so as an event; the statement under way fails by itself.
    pool.on('error', (error) => options.log.debug('An idle database connection was lost.', { error }));
    pool.on('connect', (client) => client.on('error', () => undefined));
    return pool;
  };
  const writes = poolFor({ ...configFor(WRITING), max });
  // Reads wait for nobody, so half as many do. Where one connection is all there may be, they share it.
  const reads = max === 1 ? writes : poolFor({ ...configFor(READING), max: Math.max(2, Math.ceil(max / 2)) });
  return assemble({ config: configFor(READING), schema, version, pools: { reads, writes }, options });
}

/** How long the server lets a session of ours pause inside a transaction, and wait for a lock. */
type Waits = Readonly<{ idleMs: number; lockMs: number }>;

/**
 * A hub that is frozen in the middle of a change is cut off after `idleMs`; others that wait for its locks
 * ask again every `lockMs` until then. Waiting for a row is two waits, so `lockMs` is less than half of
 * `idleMs`: whatever else the frozen hub had waiting for the same lock gives up before it could be handed the
 * lock, and freeze it once more. Deadlocks are looked for after a second; `lockMs` leaves them to be found.
 */
const WRITING: Waits = { idleMs: 3_000, lockMs: 1_250 };
/** A snapshot holds nobody up. */
const READING: Waits = { idleMs: 30_000, lockMs: 0 };
const MIGRATING: Waits = { idleMs: 3_000, lockMs: 0 };

function sessionOptions(schema: string, { idleMs, lockMs }: Waits): string {
  const settings = {
    search_path: schema,
    statement_timeout: 30_000,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleMs,
    default_transaction_isolation: 'read\\ committed',
    // Our statements take milliseconds; compiling one, which the planner's guesses bring about, takes dozens.
    jit: 'off',
  };
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
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
  pools: Pools;
  options: OpenOptions;
};

async function assemble({ config, schema, version, pools, options }: Parts): Promise<Database> {
  const { clock, hub, log } = options;
  const channel = `holdfast_${schema}`;
  const notifier = createNotifier(pools.reads, channel, log);
  const follows = options.followsServer ?? clock === systemClock;
  const server = follows ? await followServerClock(pools.reads, clock) : undefined;
  const now = () => server?.now() ?? clock.now();
  let closed = false;

  async function ask<R>(statement: Sql): Promise<R> {
    try {
      return (await pools.reads.query(named(statement))).rows[0] as R;
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
  const trouble = createTrouble(pools);
  const transactions = createTransactions(pools, {
    hub,
    maxQueue: options.maxQueue ?? 10_000,
    patienceMs: options.patienceMs ?? 5_000,
    now,
    onBatch: options.onBatch,
    onFault: trouble.met,
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
    elapsed: () => clock.elapsed(),
    async read(unit) {
      open();
      await server?.settled();
      return transactions.read(unit);
    },
    async write(actor, unit, once) {
      open();
      await server?.settled();
      return transactions.write(actor, unit, once);
    },
    async writeSoon(actor, unit) {
      open();
      const written = (async () => {
        await server?.settled();
        return transactions.write(actor, unit);
      })();
      unwritten.add(written);
      return written.finally(() => unwritten.delete(written));
    },
    flush,
    trouble: () => trouble.find(),
    async close() {
      await flush();
      closed = true;
      server?.stop();
      feed.close();
      await notifier.idle();
      await Promise.all([...new Set([pools.reads, pools.writes])].map((pool) => pool.end()));
    },
  };
}

/** int8 and numeric arrive as numbers: our integers are times and counts, far below 2^53. */
function parserFor(oid: number, format?: 'text' | 'binary'): unknown {
  return oid === 20 || oid === 1700 ? Number : pg.types.getTypeParser(oid, format);
}

/** Never shows the URL: it may hold a password. */
function unreachable(cause: unknown): HubError {
  return new HubError('unavailable', 'The PostgreSQL database cannot be opened.', {
    hint: 'Check HOLDFAST_DATABASE_URL, that the server runs, and that the user may create a schema.',
  }).because(cause);
}
