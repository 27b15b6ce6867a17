import { boardOffer } from '../features/hub/board-offer.ts';
import { hubServer } from '../features/hub/hub.ts';
import type { Board } from '../features/board/board.ts';
import type { Registry } from '../mcp/registry.ts';
import type { Ground, Room } from './room.ts';

/** Opened last: its catalogue shows what the other rooms have put into the registry. */
export function addHub({ db, config }: Ground, registry: Registry, rooms: readonly Room[], board: Board): void {
  const offers = [boardOffer(db, board), ...rooms.flatMap(({ offer }) => offer ?? [])];
  const own = rooms.flatMap(({ hubTools }) => hubTools ?? []);
  const ownSources = rooms.flatMap(({ hubSource }) => hubSource ?? []);
  registry.add(hubServer({ registry, own, ownSources, offers, profiles: config.profiles }));
}
