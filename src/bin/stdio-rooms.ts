import { openHouse } from '../house.ts';
import type { Config } from '../kernel/config.ts';
import { HubError } from '../kernel/errors.ts';
import { ensurePrivateFolder, signingKey } from '../kernel/home.ts';
import { newId } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import { localPrincipal } from '../kernel/principal.ts';
import { openLocalBackend } from '../mcp/hosts/local-backend.ts';
import type { Backend } from '../mcp/hosts/shim.ts';
import { hasProfile, profilesOf } from '../mcp/server.ts';
import { roomsBehind } from '../rooms.ts';
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
  const house = await openHouse({
    db,
    config,
    log,
    key: Buffer.from(signingKey(config.home, process.env)),
    only: roomsFor(key, config),
  });
  const { rooms, engine } = house;
  const server = rooms.registry.get(key);
  if (!server || !hasProfile(server, profile)) {
    await house.close();
    await db.close();
    throw server
      ? unknown('profile', profile, profilesOf(server))
      : unknown(
          'MCP server',
          key,
          rooms.registry.all().map((each) => each.key),
        );
  }
  const backend = openLocalBackend({ engine, server, who: localPrincipal(seat, server.binding?.(new URLSearchParams(params))), profile });
  const putAway = async () => {
    await house.close();
    await db.close();
  };
  return { backend, closed: backend.ended.then(putAway, putAway) };
}

/** Mail comes along with the answers of every server, so its room is behind each of them. */
function roomsFor(server: string, { offerMail }: Config): readonly string[] {
  return offerMail ? [...roomsBehind(server), 'peers'] : roomsBehind(server);
}

function unknown(what: string, given: string, known: readonly string[]): HubError {
  return new HubError('not_found', `There is no ${what} ${JSON.stringify(given)}.`, { hint: `Known: ${known.join(', ')}.` });
}
