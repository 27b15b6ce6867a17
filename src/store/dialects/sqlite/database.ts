// The store on SQLite: one writer, many readers, and a look for what other processes committed.
import { HubError, toHubError } from '../../../kernel/errors.ts';
import type { Database } from '../../database.ts';
import { eventsAfter, readFloor, readHead } from '../../events.ts';
import { createFeed } from '../../feed.ts';
import { corruptDatabase } from '../../migrations/refuse.ts';
import type { OpenOptions } from '../../options.ts';
import { Connection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { isCorrupt } from './faults.ts';
import { cannotOpen, createFile, inspectFile, isShort, refuseSecondName } from './file.ts';
import { migrate, stamp } from './migrate.ts';
import { createReader } from './reader.ts';
import { createWriter, type Writer } from './writer.ts';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemActor } from '../../../kernel/principal.ts';
import { sql } from '../../sql.ts';

const WATCH_MS = 100;

export async function openSqlite(path: string, options: OpenOptions): Promise<Database> {
  refuseSecondName(path);
  if (inspectFile(path) === 'fresh') {
    createFile(path);
    // A path that was mistyped is found by this line.
    options.log.info(`Made a new database at ${path}.`);
  }
  const opened: Connection[] = [];
  try {
    const writing = connect(path, opened);
    if (isShort(path)) completeFile(writing);
    stamp(writing);
    writing.pragma('journal_mode = wal');
    const schema = migrate(writing, path);
    // From here on waiting for other writers is done asynchronously by the writer.
    writing.pragma('busy_timeout = 0');
    const reading = connect(path, opened);
    reading.pragma('query_only = 1');
    return assemble({ path, schema, writing, reading, options });
  } catch (thrown) {
    for (const connection of opened) connection.close();
    if (thrown instanceof HubError) throw thrown;
    throw isCorrupt(thrown) ? corruptDatabase(path, thrown) : cannotOpen(path, thrown);
  }
}

/** What the file lacks is folded in from its log; SQLite says when the log does not have it either. */
function completeFile(connection: Connection): void {
  connection.pragma('schema_version');
  connection.pragma('wal_checkpoint(passive)');
}

function connect(path: string, opened: Connection[]): Connection {
  const connection = new Connection(path, { timeout: 5_000 });
  opened.push(connection);
  connection.pragma('synchronous = full');
  connection.pragma('foreign_keys = on');
  // What was forgotten must be gone from the file, not only from the tables.
  connection.pragma('secure_delete = on');
  connection.pragma('temp_store = memory');
  connection.pragma('cache_size = -16000');
  // Writes in random places (hashes, fingerprints) meet again in the log before they are copied: a tenth less work per save.
  connection.pragma('wal_autocheckpoint = 4000');
  return connection;
}

type Parts = { path: string; schema: number; writing: Connection; reading: Connection; options: OpenOptions };

function assemble({ path, schema, writing, reading, options }: Parts): Database {
  const { clock, hub, log } = options;
  const reader = createReader(reading);
  const { read } = reader;
  const feed = createFeed({
    head: () => read(async (q) => (await q.get<{ value: number }>(readHead))!.value),
    floor: () => read(async (q) => (await q.get<{ value: number }>(readFloor))!.value),
    after: (seq, limit) => read((q) => eventsAfter(q, seq, limit)),
    watch: (onChange) => watchDataVersion(reading, onChange),
  });
  const writer = createWriter(writing, {
    clock,
    hub,
    maxBatch: options.maxBatch ?? 256,
    maxQueue: options.maxQueue ?? 10_000,
    patienceMs: options.patienceMs ?? 5_000,
    // Whoever waits for an answer goes before whoever follows the log.
    onCommit: (events) => void setImmediate(() => feed.committed(events)),
    onBatch: options.onBatch,
  });
  return {
    engine: 'sqlite',
    dialect: sqliteDialect,
    feed,
    schema,
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
    read,
    write: writer.write,
    writeSoon: writer.writeSoon,
    flush: writer.flush,
    trouble: () => findTrouble(path, writer),
    async close() {
      await writer.close();
      feed.close();
      await reader.close();
      try {
        writing.pragma('wal_checkpoint(truncate)');
      } catch (thrown) {
        log.warn('The write-ahead log was left for the next start to fold in.', { error: thrown });
      }
      reading.close();
      writing.close();
    },
  };
}

/** `data_version` changes when another connection commits: cheap to look at, but only a look, not a wake-up. */
function watchDataVersion(reading: Connection, onChange: () => void): () => void {
  let seen = reading.pragma('data_version');
  const timer = setInterval(() => {
    const version = reading.pragma('data_version');
    if (version === seen) return;
    seen = version;
    onChange();
  }, WATCH_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Less than this and the next change may not fit. */
const LEAST_BYTES = 1 << 20;

/**
 * Looks at the disk, and tries again what failed last: a disk that has room once more is well, and one that was never
 * written to since may not be. A hub that is well is asked for nothing but the disk's own count.
 */
async function findTrouble(path: string, writer: Writer): Promise<string | undefined> {
  const full = await isFull(path);
  if (full) return `Nothing more can be saved: the disk of ${path} is full.`;
  if (!writer.fault()) return undefined;
  try {
    await writer.write(systemActor, (tx) =>
      tx.run(sql`update counters set value = value where name = 'events'`),
    );
    return undefined;
  } catch (thrown) {
    return toHubError(thrown).message;
  }
}

/** A file system that counts nothing is not full. */
async function isFull(path: string): Promise<boolean> {
  try {
    const { blocks, bavail, bsize } = await statfs(dirname(path));
    return blocks > 0 && bavail * bsize < LEAST_BYTES;
  } catch {
    return false; // no answer about the disk is no answer about the hub
  }
}
