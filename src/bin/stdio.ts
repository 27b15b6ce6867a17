import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Config, resolveConfig } from '../kernel/config.ts';
import { isHubAlive, readHubRecord, recordPath } from '../kernel/discovery.ts';
import { HubError } from '../kernel/errors.ts';
import { createLog, type Log } from '../kernel/log.ts';
import { VERSION } from '../kernel/version.ts';
import { connectHub } from '../mcp/hosts/hub-backend.ts';
import { type Backend, runShim } from '../mcp/hosts/shim.ts';

/**
 * An MCP server on stdin and stdout. Beside a live hub it is only a door to the hub's socket, which is why nothing
 * heavier than the shim is imported here; the rooms are loaded when there is no hub.
 */
export async function serveStdio(server: string, args: readonly string[], standing: Standing = {}): Promise<void> {
  const { profile, database, bind } = readOptions(server, args);
  const config = await resolveConfig({ flags: { '--database': database }, env: process.env });
  const log = createLog(config.logLevel);
  const hello = { server, profile, seat: standing.seat ?? newSeat(), version: VERSION, ...(bind && { params: bind }) };
  const served: Promise<void>[] = [];

  const openLocal = async (): Promise<Backend> => {
    enableCompileCache(join(config.home, 'cache'));
    const { openLocalRooms } = await import('./stdio-rooms.ts');
    const local = await openLocalRooms(config, hello, log);
    served.push(local.closed);
    return local.backend;
  };

  await runShim({
    input: process.stdin,
    output: process.stdout,
    openBackend: async () => (standing.isAlone ? undefined : await reachHub(config, hello, log)) ?? openLocal(),
    isHubAlive: async () => {
      if (standing.isAlone) return false;
      const record = readHubRecord(recordPath(config));
      return record !== undefined && isHubAlive(record);
    },
    log: (message) => log.info(message),
  });
  await Promise.all(served);
}

/** `seat`: a session its client named itself. `isAlone`: it has something of its own to serve, which a hub does not. */
export type Standing = Readonly<{ seat?: string; isAlone?: boolean }>;

/** Unique, not secret: whoever reaches the socket is the same user. Not from node:crypto, which would cost a quarter of the start. */
function newSeat(): string {
  return `stdio:${Date.now().toString(36)}-${process.pid.toString(36)}-${Math.random().toString(36).slice(2)}`;
}

async function reachHub(config: Config, hello: Parameters<typeof connectHub>[1], log: Log): Promise<Backend | undefined> {
  const record = readHubRecord(recordPath(config));
  if (!record) return undefined;
  try {
    return await connectHub(record.socket, hello);
  } catch (error) {
    log.debug('no hub answers at the socket of its record', { socket: record.socket, error });
    return undefined;
  }
}

type Options = { profile: string; database: string | undefined; bind: string | undefined };

function readOptions(server: string, args: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { profile: { type: 'string' }, database: { type: 'string' }, bind: { type: 'string' } },
    });
    const { profile = 'default', database, bind } = values;
    // The hub's own server has views that only its configuration knows; it answers for them itself.
    if (server === 'hub' || profile === 'default' || profile === 'extended') return { profile, database, bind };
    throw new HubError('invalid', `--profile must be default or extended; got ${JSON.stringify(profile)}.`);
  } catch (error) {
    if (error instanceof HubError) throw error;
    throw new HubError(
      'invalid',
      `${(error as Error).message} Known: --profile <default|extended>, --database <location>, --bind <parameters of an attach URL>.`,
      {},
      error,
    );
  }
}
