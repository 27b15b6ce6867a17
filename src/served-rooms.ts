import { createArrivals } from './features/access/seats/arrivals.ts';
import { createSeats } from './features/access/seats/seats.ts';
import type { Ground } from './features/room.ts';
import type { Clock } from './kernel/clock.ts';
import type { Observer } from './kernel/observer.ts';
import type { KeySource } from './kernel/signing-key.ts';
import type { Principal } from './kernel/principal.ts';
import { isQuiet } from './kernel/quiet-hours.ts';
import { createKnocks } from './mcp/knocks.ts';
import { createChangeBoard, followFeed } from './mcp/changes.ts';
import { createEngine, type Engine } from './mcp/engine/engine.ts';
import { type AnyRoom, openRooms, type Rooms } from './rooms.ts';
import { createActing } from './store/calls.ts';

/** Rooms with the MCP engine in front of them, wired once: for a hub, a lone stdio server and the exported factories alike. */
export interface ServedRooms {
  readonly rooms: Rooms;
  readonly engine: Engine;
  /** Somebody called, by whatever way in. */
  heard(who: Principal): void;
  close(): Promise<void>;
}

export type ServedRoomsParts = Omit<Ground, 'acting' | 'seats' | 'changes' | 'knocks'> &
  Readonly<{
    /** Signs what the engine hands to clients. */
    key: KeySource;
    /** Which rooms; all unless given. */
    only?: readonly string[];
    instead?: readonly AnyRoom[];
    clock?: Clock;
    observer?: Observer;
  }>;

export async function openServedRooms({
  key,
  only,
  instead,
  clock,
  observer,
  ...parts
}: ServedRoomsParts): Promise<ServedRooms> {
  const { db, config, log } = parts;
  const { leaseMs, longestMs } = config;
  const seats = createSeats({
    db,
    log,
    leaseMs,
    longestMs,
    locate: (folder) => rooms.services.projects?.locate(folder),
  });
  const changes = createChangeBoard();
  const knocks = createKnocks({
    log,
    isQuiet: ({ bound, default: taken, name }) =>
      isQuiet(config.quiet[bound.agent ?? taken?.agent ?? name ?? ''], new Date(db.now())),
  });
  const ground = { ...parts, seats, acting: createActing(db), changes, knocks };
  const rooms = await openRooms(ground, only, instead);
  const engine = createEngine({
    key,
    log,
    changes,
    onArrival: createArrivals({ db, log }),
    seating: seats,
    knocks: config.wake === false ? undefined : knocks,
    // Where everybody counts as the owner, anybody could speak to an agent at will.
    offersChannel: config.wake === true && !config.gateway?.isOpenToAll,
    postscript: rooms.postscript,
    overhear: rooms.overhear,
    observer,
    ...(clock && { clock }),
  });
  const following = new AbortController();
  const followed = followFeed(
    { feed: db.feed, registry: rooms.registry, board: changes, log },
    following.signal,
  );
  return {
    rooms,
    engine,
    heard: (who) => seats.heard(who),
    async close() {
      following.abort();
      await followed;
      await rooms.close();
      await seats.close();
    },
  };
}
