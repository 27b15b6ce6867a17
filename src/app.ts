import type { Access } from './features/access/access.ts';
import { createBindings } from './features/access/bindings.ts';
import { createGuard } from './features/access/guard.ts';
import { createStoredSessionMemory } from './features/access/session-memory.ts';
import { asksToken } from './features/attach/attach.ts';
import { attachRoute } from './features/attach/routes.ts';
import { HUB_KEY } from './features/hub/hub.ts';
import { withUrlDefault } from './features/projects/url-default.ts';
import { openHouse } from './house.ts';
import { createHttpApp } from './http/app.ts';
import { eventsRoute } from './http/events.ts';
import { gatewayHealthRoute } from './http/gateway-health.ts';
import { healthRoute } from './http/health.ts';
import { pageRoute } from './http/page-route.ts';
import { openPage } from './http/page.ts';
import { systemClock } from './kernel/clock.ts';
import { type Config, isPostgresUrl } from './kernel/config.ts';
import { readHubRecord, recordPath, removeHubRecord, socketPath, writeHubRecord } from './kernel/discovery.ts';
import { HubError } from './kernel/errors.ts';
import { ensurePrivateFolder, ensureRunFolder, hubToken, signingKey } from './kernel/home.ts';
import type { Hub, HubMode } from './kernel/hub.ts';
import { newId } from './kernel/ids.ts';
import { createLog, type Log } from './kernel/log.ts';
import { isLoopbackName } from './kernel/loopback.ts';
import { VERSION } from './kernel/version.ts';
import { createHttpHost } from './mcp/hosts/http/http.ts';
import { serveSocket } from './mcp/hosts/socket.ts';
import type { Registry, Server } from './mcp/registry.ts';
import { createSessions } from './mcp/sessions/sessions.ts';
import { EVERY_ROOM } from './rooms.ts';
import { openDatabase } from './store/open.ts';

/** The only place that knows everything: builds a hub from a config, gives each part what it needs, and takes it down in order. */
export async function createHub(config: Config, mode: HubMode, log: Log = createLog(config.logLevel)): Promise<Hub> {
  if (config.noAuth && !isLoopbackName(config.host) && !config.gateway?.isOpenToAll) throw openBeyondLoopback(config.host);
  ensurePrivateFolder(config.home);
  const undo: Undo = [];
  try {
    return await build(config, mode, log, undo);
  } catch (error) {
    await takeDown(undo, log);
    throw error;
  }
}

/** What has been set up, newest last; taken down newest first. */
type Undo = (() => Promise<void> | void)[];

async function build(config: Config, mode: HubMode, log: Log, undo: Undo): Promise<Hub> {
  const hub = newId();
  const clock = systemClock;
  if (mode === 'public') undo.push(await lockDatabase(config));

  const db = await openDatabase(config.database, { schema: config.databaseSchema, hub, log, clock });
  undo.push(() => db.close());
  const key = Buffer.from(signingKey(config.home, process.env));
  const house = await openHouse({ db, config, log, key, clock });
  undo.push(() => house.close());
  const { rooms, engine } = house;

  const memory = createStoredSessionMemory({ db, log });
  undo.push(() => memory.close());
  const mcp = createHttpHost({ engine, sessions: createSessions({ key, clock, memory }) });
  const bindings = createBindings(key);
  let address = `http://127.0.0.1:${config.ports[0]!}`;
  const attach = attachRoute({ here: () => ({ address, config, env: process.env, asksToken: asksToken(config) }), sign: bindings.sign });
  const identify = withUrlDefault(
    createGuard({
      access: rooms.service('access') as Access,
      bindings,
      token: hubToken(config, config.gateway?.isTokenFileNamed ? {} : process.env),
      isOnLoopback: isLoopbackName(config.host),
      isOpen: config.noAuth,
      isOpenToAll: config.gateway?.isOpenToAll ?? false,
    }),
  );
  const shown = pageRoute({
    rooms: () => EVERY_ROOM.filter((room) => rooms.service(room) !== undefined),
    address: () => address,
    isOpen: config.noAuth,
  });
  const http = createHttpApp({
    routes: [healthRoute({ db, hub, clock }), gatewayHealthRoute(), eventsRoute(db.feed), attach, shown, ...(await rooms.routes())],
    mounts: mountedServers(rooms.registry, config).map((server) => ({
      path: pathOf(server),
      handle: mcp.mount({ server, sessions: sessionRules(server) }),
    })),
    page: config.gateway ? undefined : openPage(),
    authenticate: async (presented) => {
      const who = await identify(presented);
      house.heard(who);
      return who;
    },
    allowHosts: config.allowHosts,
    log,
  });
  undo.push(() => http.close());
  undo.push(() => mcp.close());
  ({ address } = await http.listen(config));

  if (mode === 'public') {
    const socket = socketPath(config);
    ensureRunFolder(socket);
    const door = await serveSocket({ engine, registry: rooms.registry, path: socket, version: VERSION });
    undo.push(() => door.close());
    const record = recordPath(config);
    if (isPostgresUrl(config.database)) ensureRunFolder(record);
    writeHubRecord(record, {
      pid: process.pid,
      hub,
      version: VERSION,
      address,
      socket,
      startedAt: clock.now(),
      tokenFile: config.tokenFile,
    });
    undo.push(() => removeHubRecord(record, process.pid));
    rooms.start(hub);
  }

  undo.push(() => rooms.settle());
  let closing: Promise<void> | undefined;
  return { id: hub, address, engine: db.engine, schema: db.schema, close: () => (closing ??= takeDown(undo, log)) };
}

/** One part that fails to close must not keep the others open. */
async function takeDown(undo: Undo, log: Log): Promise<void> {
  for (const close of undo.splice(0).reverse()) {
    try {
      await close();
    } catch (error) {
      log.error('a part of the hub did not close cleanly', { error });
    }
  }
}

/** On SQLite one hub owns the writes; on PostgreSQL hubs may be many. */
async function lockDatabase(config: Config): Promise<() => void> {
  if (isPostgresUrl(config.database)) return () => undefined;
  const { takeHubLock } = await import('./store/dialects/sqlite/hub-lock.ts');
  const { inspectFile } = await import('./store/dialects/sqlite/file.ts');
  // Not even a lock file is left beside somebody else's database.
  inspectFile(config.database);
  try {
    const lock = takeHubLock(config.database);
    return () => lock.release();
  } catch (error) {
    const other = readHubRecord(recordPath(config));
    if (!(error instanceof HubError) || error.code !== 'conflict' || !other) throw error;
    throw new HubError(
      'conflict',
      `Another hub is running on this database: process ${other.pid} at ${other.address}.`,
      {
        pid: other.pid,
        address: other.address,
        hint: 'Use that one, stop it first, or give this one another database.',
      },
      error,
    );
  }
}

/** A gateway has no /mcp unless it was asked for. */
function mountedServers(registry: Registry, { gateway }: Config): readonly Server[] {
  return registry.all().filter(({ key }) => key !== HUB_KEY || gateway === undefined || gateway.mcpHttp);
}

/** The hub's own server follows the specification at /mcp; the documented ones keep their paths and their words. */
function pathOf({ key }: Server): string {
  return key === HUB_KEY ? '/mcp' : `/api/mcp/${key}`;
}

function sessionRules({ key }: Server): 'documented' | 'spec' {
  return key === HUB_KEY ? 'spec' : 'documented';
}

function openBeyondLoopback(host: string): HubError {
  return new HubError('forbidden', `The hub does not listen on ${host} without authentication.`, {
    host,
    hint: 'Leave --no-auth out, or use --host 127.0.0.1 and an SSH tunnel.',
  });
}
