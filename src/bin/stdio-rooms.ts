import { createArrivals } from '../features/access/arrivals.ts';
import type { Config } from '../kernel/config.ts';
import { HubError } from '../kernel/errors.ts';
import { ensurePrivateFolder, signingKey } from '../kernel/home.ts';
import { newId } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import { createChangeBoard, followFeed } from '../mcp/changes.ts';
import { createEngine } from '../mcp/engine/engine.ts';
import { openLocalBackend } from '../mcp/hosts/local-backend.ts';
import type { Hello } from '../mcp/hosts/hello.ts';
import type { Backend } from '../mcp/hosts/shim.ts';
import { completePrincipal, type FindDefaults, stdioPrincipal } from '../mcp/hosts/whereabouts.ts';
import { hasProfile, profilesOf } from '../mcp/server.ts';
import { openRoomsFor } from '../rooms/lone.ts';
import type { Ground } from '../rooms/room.ts';
import { openDatabase } from '../store/open.ts';

/** One server of the rooms in this very process, on the same database a hub would use. `closed` resolves when all is put away. */
export async function openLocalRooms(
  config: Config,
  hello: Omit<Hello, 'holdfast'>,
  log: Log,
): Promise<Readonly<{ backend: Backend; closed: Promise<void> }>> {
  const { server: key, profile } = hello;
  ensurePrivateFolder(config.home);
  const db = await openDatabase(config.database, { schema: config.databaseSchema, hub: newId(), log });
  const rooms = await openRoomsFor(key, { db, config, log });
  const server = rooms.registry.get(key);
  if (!server || !hasProfile(server, profile)) {
    await rooms.close();
    await db.close();
    throw server
      ? unknown('profile', profile, profilesOf(server))
      : unknown(
          'MCP server',
          key,
          rooms.registry.all().map((each) => each.key),
        );
  }
  const changes = createChangeBoard();
  const engine = createEngine({
    key: Buffer.from(signingKey(config.home, process.env)),
    log,
    changes,
    onArrival: createArrivals({ db, log }),
    postscript: rooms.postscript,
  });
  const following = new AbortController();
  const followed = followFeed({ feed: db.feed, registry: rooms.registry, board: changes, log }, following.signal);
  // Being introduced does not wait for it.
  const projects = hello.from && findProjects({ db, config, log });
  const who = stdioPrincipal(hello, server);
  const whoInFull = completePrincipal(who, hello, projects && (async (from) => (await projects).findDefaults(from)));
  const backend = openLocalBackend({ engine, server, who, whoInFull, profile });
  const putAway = async () => {
    following.abort();
    await (await projects)?.close();
    await followed;
    await rooms.close();
    await db.close();
  };
  return { backend, closed: backend.ended.then(putAway, putAway) };
}

/** Loaded only for who says where it works. */
async function findProjects(ground: Ground): Promise<Readonly<{ findDefaults: FindDefaults; close(): Promise<void> }>> {
  const [{ openProjects }, { createFindDefaults }] = await Promise.all([
    import('../rooms/projects.ts'),
    import('../features/projects/defaults.ts'),
  ]);
  const { locator } = openProjects(ground);
  return { findDefaults: createFindDefaults(locator, ground.log), close: () => locator.close() };
}

function unknown(what: string, given: string, known: readonly string[]): HubError {
  return new HubError('not_found', `There is no ${what} ${JSON.stringify(given)}.`, { hint: `Known: ${known.join(', ')}.` });
}
