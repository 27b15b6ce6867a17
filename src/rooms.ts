import type { Access } from './features/access/access.ts';
import type { Route } from './http/route.ts';
import { ownSecrets } from './kernel/home.ts';
import { hideAlways } from './kernel/redact.ts';
import type { AskPostscript } from './mcp/postscript.ts';
import type { Registry } from './mcp/registry.ts';
import { openAccess } from './rooms/access.ts';
import { openBoard } from './rooms/board.ts';
import { openBrain } from './rooms/brain.ts';
import { openBroker } from './rooms/broker.ts';
import { openChat } from './rooms/chat.ts';
import { addHub } from './rooms/hub.ts';
import { openMemory } from './rooms/memory.ts';
import { openPeers } from './rooms/peers.ts';
import { registryOf } from './rooms/registry.ts';
import { openReservations } from './rooms/reservations.ts';
import { openRetention } from './rooms/retention.ts';
import type { Ground, Room } from './rooms/room.ts';
import type { Running } from './store/consumers.ts';
import { startSchedule } from './store/worker.ts';

/**
 * The rooms on one database, without any way in. A hub gives them HTTP and a socket; a stdio bin that found
 * no hub serves them itself, so nothing here may load the web framework.
 */
export interface Rooms {
  readonly registry: Registry;
  readonly access: Access;
  /** What goes along with answers that nobody asked for. */
  readonly postscript: AskPostscript | undefined;
  routes(): Promise<readonly Route[]>;
  /** What one hub does for everybody: chores, consumers and workers. */
  start(hub: string): void;
  /** Lets waiting calls answer, before the ways in are closed. */
  settle(): void;
  close(): Promise<void>;
}

export function openRooms(ground: Ground): Rooms {
  const { db, log, config } = ground;
  for (const secret of ownSecrets(config, process.env)) hideAlways(secret);
  const access = openAccess(ground);
  const board = openBoard(ground);
  const peers = openPeers(ground);
  const rooms: readonly Room[] = [
    openRetention(ground),
    access,
    board,
    openMemory(ground),
    openBrain(ground, board.board),
    openBroker(ground, async () => board.board),
    peers,
    openReservations(ground, board.board),
    openChat(ground, { ...board, mentions: peers.peers }),
  ];
  const registry = registryOf(rooms);
  addHub(ground, registry, rooms, board.board);
  const running: Running[] = [];

  return {
    registry,
    access: access.access,
    postscript: peers.postscript,
    async routes() {
      const routes = await Promise.all(rooms.map(async (room) => (await room.routes?.()) ?? []));
      return routes.flat();
    },
    start(hub) {
      for (const room of rooms) {
        for (const { name, everyMs, run } of room.chores ?? []) {
          running.push(startSchedule({ db, name, holder: hub, everyMs, log, run: async () => void (await run()) }));
        }
        running.push(...(room.start?.(hub) ?? []));
      }
    },
    settle() {
      for (const room of rooms) room.settle?.();
    },
    async close() {
      await Promise.all(running.map((each) => each.stop()));
      for (const room of rooms.toReversed()) await room.close?.();
    },
  };
}
