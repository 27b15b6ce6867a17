import { createArrivals } from '../features/access/arrivals.ts';
import type { Config } from '../kernel/config.ts';
import { HubError } from '../kernel/errors.ts';
import { ensurePrivateFolder, signingKey } from '../kernel/home.ts';
import { newId } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import { localPrincipal } from '../kernel/principal.ts';
import { createChangeBoard, followFeed } from '../mcp/changes.ts';
import { createEngine } from '../mcp/engine/engine.ts';
import { openLocalBackend } from '../mcp/hosts/local-backend.ts';
import type { Backend } from '../mcp/hosts/shim.ts';
import { hasProfile, profilesOf } from '../mcp/server.ts';
import { openRoomsFor } from '../rooms/lone.ts';
import { openDatabase } from '../store/open.ts';

type Wanted = Readonly<{ server: string; profile: string; seat: string; params?: string }>;

/** One server of the rooms in this very process, on the same database a hub would use. `closed` resolves when all is put away. */
export async function openLocalRooms(
  config: Config,
  { server: key, profile, seat, params }: Wanted,
  log: Log,
): Promise<Readonly<{ backend: Backend; closed: Promise<void> }>> {
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
  const backend = openLocalBackend({ engine, server, who: localPrincipal(seat, server.binding?.(new URLSearchParams(params))), profile });
  const putAway = async () => {
    following.abort();
    await followed;
    await rooms.close();
    await db.close();
  };
  return { backend, closed: backend.ended.then(putAway, putAway) };
}

function unknown(what: string, given: string, known: readonly string[]): HubError {
  return new HubError('not_found', `There is no ${what} ${JSON.stringify(given)}.`, { hint: `Known: ${known.join(', ')}.` });
}
