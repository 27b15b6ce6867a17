import { openServedRooms } from '../served-rooms.ts';
import type { Config } from '../kernel/config.ts';
import { HubError } from '../kernel/errors.ts';
import { ensurePrivateFolder, signingKey } from '../kernel/home.ts';
import { newId } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import type { Hello } from '../mcp/hosts/hello.ts';
import { openLocalBackend } from '../mcp/hosts/local-backend.ts';
import type { Backend } from '../mcp/hosts/shim.ts';
import { stdioPrincipal } from '../mcp/hosts/whereabouts.ts';
import { hasProfile, profilesOf } from '../mcp/server.ts';
import { roomsBehind } from '../rooms.ts';
import { openDatabase } from '../store/open.ts';

/** One server of the rooms in this very process, on the same database a hub would use. `closed` resolves when all is put away. */
export async function openLocalRooms(
  config: Config,
  hello: Omit<Hello, 'holdfast'>,
  log: Log,
): Promise<Readonly<{ backend: Backend; closed: Promise<void> }>> {
  const { server: key, profile, from, pid } = hello;
  ensurePrivateFolder(config.home);
  const db = await openDatabase(config.database, { schema: config.databaseSchema, hub: newId(), log });
  const served = await openServedRooms({
    db,
    config,
    log,
    key: Buffer.from(signingKey(config.home, process.env)),
    only: roomsFor(hello, config),
  });
  const { rooms, engine } = served;
  rooms.work(newId());
  const server = rooms.registry.get(key);
  if (!server || !hasProfile(server, profile)) {
    await served.close();
    await db.close();
    throw server
      ? unknown('profile', profile, profilesOf(server))
      : unknown(
          'MCP server',
          key,
          rooms.registry.all().map((each) => each.key),
        );
  }
  const backend = openLocalBackend({
    engine,
    server,
    who: stdioPrincipal(hello, server),
    from,
    pid,
    profile,
  });
  const putAway = async () => {
    await served.close();
    await db.close();
  };
  return { backend, closed: backend.ended.then(putAway, putAway) };
}

/** Mail comes along with the answers of every server; the project is looked for only by who says where it works. */
function roomsFor({ server, from }: Omit<Hello, 'holdfast'>, { offerMail }: Config): readonly string[] {
  return [...roomsBehind(server), ...(offerMail ? ['peers'] : []), ...(from ? ['projects'] : [])];
}

function unknown(what: string, given: string, known: readonly string[]): HubError {
  return new HubError('not_found', `There is no ${what} ${JSON.stringify(given)}.`, {
    hint: `Known: ${known.join(', ')}.`,
  });
}
