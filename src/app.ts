import { createBindings } from './features/access/bindings.ts';
import { createCredentials, URL_ID } from './features/access/credentials.ts';
import { createThrottle } from './features/access/throttle.ts';
import { createGuard } from './features/access/guard.ts';
import { keyRoutes } from './features/access/routes.ts';
import { createSameUser } from './features/access/local/same-user.ts';
import { createStoredSessionMemory } from './features/access/seats/session-memory.ts';
import { asksToken } from './features/attach/attach.ts';
import { attachOperations } from './features/attach/operations.ts';
import { createMetrics, type Metrics } from './features/hub/metrics.ts';
import { metricsRoute } from './features/hub/metrics-route.ts';
import { checkConfigText } from './features/config-check.ts';
import { createConfigDesk } from './features/hub/config-desk.ts';
import { configOperations } from './features/hub/config-operations.ts';
import { hubOperations } from './features/hub/operations.ts';
import { withUrlDefault } from './features/projects/url-default.ts';
import { openServedRooms } from './served-rooms.ts';
import { openAccessLog } from './http/access-log.ts';
import { createHttpApp } from './http/app.ts';
import { eventsRoute } from './http/events.ts';
import { gatewayHealthRoute } from './http/gateway-health.ts';
import { openDashboard } from './http/dashboard.ts';
import { beatMs } from './kernel/beat.ts';
import { systemClock } from './kernel/clock.ts';
import type { Config } from './kernel/config.ts';
import { followConfig } from './kernel/living-config.ts';
import { isPostgresUrl } from './kernel/site.ts';
import {
  readAnnouncement,
  announcementPath,
  withdrawHub,
  socketPath,
  announceHub,
} from './kernel/discovery.ts';
import { HubError } from './kernel/errors.ts';
import {
  ensurePrivateFolder,
  ensureRunFolder,
  hubToken,
  hubTokenPlace,
  replaceSecret,
  signingKey,
  signingKeyFile,
} from './kernel/home.ts';
import type { Hub, HubMode } from './kernel/hub.ts';
import { newId } from './kernel/ids.ts';
import { createLog, type Log } from './kernel/log.ts';
import { isLoopbackName } from './kernel/loopback.ts';
import { type Observer, observeAll } from './kernel/observer.ts';
import { hideAlways } from './kernel/redact.ts';
import { VERSION } from './kernel/version.ts';
import { createHttpHost } from './mcp/hosts/http/http.ts';
import { mountsOf } from './mcp-mounts.ts';
import { serveSocket } from './mcp/hosts/socket.ts';
import { createSessions } from './mcp/sessions/sessions.ts';
import { behindService, routesOf } from './operation/faces.ts';
import { EVERY_ROOM } from './rooms.ts';
import { createActing } from './store/calls.ts';
import { openDatabase } from './store/open.ts';

/** The only place that knows everything: builds a hub from a config, gives each part what it needs, and takes it down in order. */
export async function createHub(
  config: Config,
  mode: HubMode,
  log: Log = createLog(config.logLevel),
): Promise<Hub> {
  if (config.noAuth && !isLoopbackName(config.host) && !config.gateway?.isOpenToAll)
    throw openBeyondLoopback(config.host);
  ensurePrivateFolder(config.home);
  const undo: Undo = [];
  try {
    return await build(config, mode, { log, undo });
  } catch (error) {
    await takeDown(undo, log);
    throw error;
  }
}

/** What has been set up, newest last; taken down newest first. */
type Undo = (() => Promise<void> | void)[];
type Site = Readonly<{ log: Log; undo: Undo }>;

async function build(started: Config, mode: HubMode, site: Site): Promise<Hub> {
  const { log, undo } = site;
  const living = followConfig(started, log);
  undo.push(living.stop);
  const { config } = living;
  const hub = newId();
  const clock = systemClock;
  if (mode === 'public') undo.push(await lockDatabase(config));

  const metrics = createMetrics(config.home);
  const observer = await openObserver(metrics, site);
  const db = await openDatabase(config.database, {
    schema: config.databaseSchema,
    hub,
    log,
    clock,
    onBatch: observer.batch,
  });
  undo.push(() => db.close());
  const token = hubToken(config, config.gateway?.isTokenFileNamed ? {} : process.env);
  let secret = Buffer.from(signingKey(config.home, process.env));
  const key = () => secret;
  hideAlways(token);
  const served = await openServedRooms({ db, config, log, key, clock, observer });
  undo.push(() => served.close());
  const { rooms, engine } = served;

  const memory = createStoredSessionMemory({ db, log });
  undo.push(() => memory.close());
  const mcp = createHttpHost({ engine, sessions: createSessions({ key, clock, memory }) });
  const bindings = createBindings(key);
  const access = rooms.services.access!;
  const credentials = createCredentials({ db, log });
  undo.push(() => credentials.close());
  const sameUser = createSameUser({ fallback: config.local });
  access.oauth.persons.knowUsers(sameUser);
  const accessLog = config.accessLog === undefined ? undefined : openAccessLog(config.accessLog, log);
  undo.push(() => accessLog?.close());

  /** What was signed before is worth nothing from here on: URLs, sessions, and the streams that hang on them. */
  function rotate(file: string): void {
    const made = replaceSecret(file);
    hideAlways(made);
    secret = Buffer.from(made);
    credentials.endAll(URL_ID);
    mcp.endStreams();
  }
  const keyFile = signingKeyFile(config.home, process.env);
  const acting = createActing(db);
  const keys = keyRoutes({
    acting,
    access,
    bindings,
    rotate: keyFile === undefined ? undefined : () => rotate(keyFile),
  });
  let address = `http://127.0.0.1:${config.ports[0]!}`;
  const attach = {
    here: () => ({ address, config, env: process.env, asksToken: asksToken(config) }),
    sign: bindings.sign,
  };
  const guard = withUrlDefault(
    createGuard({
      access,
      bindings,
      token,
      // Where everybody counts as the owner, the owner's files are nobody's business.
      ...(!config.gateway?.isOpenToAll && { tokenAt: hubTokenPlace(config, process.env) }),
      isOnLoopback: isLoopbackName(config.host),
      isOpen: config.noAuth,
      isOpenToAll: config.gateway?.isOpenToAll ?? false,
      // A gateway is for others, wherever it listens.
      mcpAuth: config.gateway ? 'token' : config.mcpAuth,
      sameUser,
      credentials,
    }),
  );
  const facts = {
    db,
    hub,
    clock,
    startedAt: clock.elapsed(),
    rooms: () => EVERY_ROOM.filter((room) => room in rooms.services),
    address: () => address,
    isOpen: config.noAuth,
    living,
  };
  const configDesk = createConfigDesk({
    config,
    check: (text) => checkConfigText({ text, env: {}, home: config.home }),
  });
  const identify = createThrottle({
    guard,
    log,
    callsPerSecond: config.limits.calls,
    ...(accessLog && { note: accessLog.note }),
  });
  const http = createHttpApp({
    routes: [
      ...routesOf(behindService('hub', acting, facts), hubOperations),
      ...routesOf(behindService('hub', acting, configDesk), configOperations),
      gatewayHealthRoute(),
      metricsRoute({ db, metrics, rooms: rooms.figures, hub, clock }),
      eventsRoute(db.feed),
      ...routesOf(behindService('attach', acting, attach), attachOperations),
      ...keys,
      ...(await rooms.routes()),
    ],
    mounts: mountsOf(rooms, mcp, config),
    pages: await rooms.pages(),
    pipes: await rooms.pipes(),
    dashboard: config.gateway ? undefined : openDashboard(),
    authenticate: async (presented) => {
      const who = await identify(presented);
      served.heard(who);
      return who;
    },
    ...(accessLog && { accessLog }),
    observer,
    allowHosts: config.allowHosts,
    log,
  });
  undo.push(() => http.close());
  undo.push(() => mcp.close());
  const bound = await http.listen(config);
  ({ address } = bound);
  const told = await sameUser.prove({
    host: new URL(address).hostname.replace(/^\[|\]$/g, ''),
    port: bound.port,
  });
  if (told === 'open' && isLoopbackName(config.host))
    log.info('every user of this machine is trusted: the system does not tell them apart');

  if (mode === 'public') {
    const socket = socketPath(config);
    ensureRunFolder(socket);
    const socketHost = await serveSocket({
      engine,
      registry: rooms.registry,
      path: socket,
      version: VERSION,
      beatMs: beatMs(config.leaseMs),
    });
    undo.push(() => socketHost.close());
    const announced = announcementPath(config);
    if (isPostgresUrl(config.database)) ensureRunFolder(announced);
    announceHub(announced, {
      pid: process.pid,
      hub,
      version: VERSION,
      address,
      socket,
      startedAt: clock.now(),
      tokenFile: config.tokenFile,
      asksToken: asksToken(config),
    });
    undo.push(() => withdrawHub(announced, { hub, pid: process.pid }));
    rooms.start(hub);
  }

  undo.push(() => rooms.settle());
  let closing: Promise<void> | undefined;
  return {
    id: hub,
    address,
    engine: db.engine,
    schema: db.schema,
    close: () => (closing ??= takeDown(undo, log)),
  };
}

/** Traces only where they are asked for: who does not want them does not load what sends them. */
async function openObserver(metrics: Metrics, { log, undo }: Site): Promise<Observer> {
  const endpoint = process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (!endpoint) return metrics;
  const { openTraces } = await import('./http/traces.ts');
  const traces = openTraces(endpoint, process.env, log);
  undo.push(() => traces.close());
  return observeAll([metrics, traces]);
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
    const other = readAnnouncement(announcementPath(config));
    if (!(error instanceof HubError) || error.code !== 'conflict' || !other) throw error;
    throw new HubError(
      'conflict',
      `Another hub is running on this database: process ${other.pid} at ${other.address}.`,
      {
        pid: other.pid,
        address: other.address,
        hint: 'Use that one, stop it first, or give this one another database.',
      },
    ).because(error);
  }
}

function openBeyondLoopback(host: string): HubError {
  return new HubError('forbidden', `The hub does not listen on ${host} without authentication.`, {
    host,
    hint: 'Leave --no-auth out, or use --host 127.0.0.1 and an SSH tunnel.',
  });
}
