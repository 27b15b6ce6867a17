import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { type Config, isPostgresUrl } from '../kernel/config.ts';
import { isHubAlive, readHubRecord, recordPath } from '../kernel/discovery.ts';
import { toHubError } from '../kernel/errors.ts';
import { nameOf } from './up.ts';

/** `warn` works but should not stay so; `fail` will not work. */
export type Finding = Readonly<{ check: string; state: 'ok' | 'warn' | 'fail'; found: string; mend?: string }>;

const LOW_DISK = 100 * 1024 * 1024;

/** Looks, and changes nothing: no file is created, no migration runs. */
export async function examine(config: Config): Promise<Finding[]> {
  const hub = await examineHub(config);
  return [
    examineNode(),
    examineHome(config),
    await guarded('database', () => (isPostgresUrl(config.database) ? examinePostgres(config) : examineSqlite(config))),
    hub.finding,
    await examinePort(config, hub.isAlive),
    await guarded('disk', () => examineDisk(config)),
  ];
}

function examineNode(): Finding {
  return { check: 'node', state: 'ok', found: `${process.version}, Node-API ${process.versions['napi'] ?? 'unknown'}` };
}

function examineHome({ home }: Config): Finding {
  const mode = modeOf(home);
  if (mode === undefined) return { check: 'home', state: 'ok', found: `${home} will be made by the first start` };
  if ((mode & 0o077) !== 0) return { check: 'home', state: 'warn', found: `${home} is open to other users`, mend: `chmod 700 ${home}` };
  const open = ['signing.key', 'token', 'secrets.yaml']
    .map((name) => `${home}/${name}`)
    .filter((path) => ((modeOf(path) ?? 0) & 0o077) !== 0);
  if (open.length > 0)
    return { check: 'home', state: 'warn', found: `${open.join(', ')} can be read by other users`, mend: `chmod 600 ${open.join(' ')}` };
  return { check: 'home', state: 'ok', found: home };
}

async function examineSqlite({ database }: Config): Promise<Finding> {
  if (modeOf(database) === undefined) return { check: 'database', state: 'ok', found: `${database} will be made by the first start` };
  const { inspectSqlite } = await import('../store/dialects/sqlite/inspect.ts');
  const { latestSchema } = await import('../store/migrations/list.ts');
  const { schema, counts, deadJobs } = inspectSqlite(database);
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const found = `${database}: whole, schema ${schema}${schema < latestSchema ? ` (the next start makes it ${latestSchema})` : ''}, ${rows} rows`;
  if (deadJobs > 0) {
    return {
      check: 'database',
      state: 'warn',
      found: `${found}; ${deadJobs} jobs failed for good`,
      mend: "Read why in the hub's log, or in last_error of the table jobs.",
    };
  }
  return { check: 'database', state: 'ok', found };
}

async function examinePostgres(config: Config): Promise<Finding> {
  const { inspectPostgres } = await import('../store/dialects/postgres/inspect.ts');
  const { latestSchema } = await import('../store/migrations/list.ts');
  const { server, schema } = await inspectPostgres(config.database, config.databaseSchema);
  const state = schema === 0 ? 'empty' : `schema ${schema}`;
  const note = schema < latestSchema ? ` (the next start makes it ${latestSchema})` : '';
  return { check: 'database', state: 'ok', found: `${nameOf(config)}: PostgreSQL ${server}, ${state}${note}` };
}

async function examineHub(config: Config): Promise<Readonly<{ isAlive: boolean; finding: Finding }>> {
  const path = recordPath(config);
  const record = readHubRecord(path);
  if (!record) return { isAlive: false, finding: { check: 'hub', state: 'ok', found: 'none is running' } };
  if (await isHubAlive(record))
    return { isAlive: true, finding: { check: 'hub', state: 'ok', found: `process ${record.pid} at ${record.address}` } };
  const found = `process ${record.pid} ended without saying so`;
  return {
    isAlive: false,
    finding: { check: 'hub', state: 'warn', found, mend: `Nothing to do: the next start clears it. Or remove ${path}.` },
  };
}

/** A hub that is up has its port; otherwise one of the list has to be free. */
async function examinePort({ host, ports }: Config, isAlive: boolean): Promise<Finding> {
  if (isAlive) return { check: 'port', state: 'ok', found: 'in use by the hub' };
  for (const port of ports) {
    const problem = await tryPort(host, port);
    if (problem === undefined) return { check: 'port', state: 'ok', found: `${host}:${port} is free` };
    if (problem !== 'EADDRINUSE')
      return { check: 'port', state: 'fail', found: `${host}:${port} cannot be used (${problem})`, mend: 'Check --host and --port.' };
  }
  return {
    check: 'port',
    state: 'fail',
    found: `${ports.join(', ')} on ${host}: all taken`,
    mend: 'Choose another with --port or CLAWBOO_API_PORT.',
  };
}

function tryPort(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown reason'));
    probe.listen({ host, port }, () => probe.close(() => resolve(undefined)));
  });
}

async function examineDisk({ home, database }: Config): Promise<Finding> {
  const place = existing(isPostgresUrl(database) ? home : database);
  const { bavail, bsize } = await statfs(place);
  const free = bavail * bsize;
  const found = `${(free / 1024 ** 3).toFixed(1)} GB free at ${place}`;
  return free < LOW_DISK
    ? { check: 'disk', state: 'fail', found, mend: 'Make room: a full disk refuses every write.' }
    : { check: 'disk', state: 'ok', found };
}

/** What a check throws is what it found. */
async function guarded(check: string, look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look();
  } catch (thrown) {
    const error = toHubError(thrown);
    return { check, state: 'fail', found: error.message, mend: error.hint };
  }
}

function modeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mode;
}

function existing(path: string): string {
  return modeOf(path) === undefined && dirname(path) !== path ? existing(dirname(path)) : path;
}
