import type { Board } from '../features/board/board.ts';
import { newId } from '../kernel/ids.ts';
import type { AskPostscript } from '../mcp/postscript.ts';
import type { Registry } from '../mcp/registry.ts';
import { registryOf } from './registry.ts';
import type { Ground, Room } from './room.ts';

/** The rooms that one server needs, for a stdio server without a hub. Every import here is paid for by whoever waits for it to start. */
export type LoneRooms = Readonly<{ registry: Registry; postscript: AskPostscript | undefined; close(): Promise<void> }>;

type Open = (ground: Ground) => Promise<readonly Room[]>;

const LONE: Readonly<Record<string, Open>> = {
  async tasks(ground) {
    const [{ openBoard }, { openReservations }] = await Promise.all([import('./board.ts'), import('./reservations.ts')]);
    const board = openBoard(ground);
    return [board, openReservations(ground, board.board)];
  },
  async memory(ground) {
    const { openMemory } = await import('./memory.ts');
    return [openMemory(ground)];
  },
  async tools(ground) {
    const { openBroker } = await import('./broker.ts');
    let board: Promise<Room & Readonly<{ board: Board }>> | undefined;
    const openBoardOnce = () => (board ??= import('./board.ts').then(({ openBoard }) => openBoard(ground)));
    const closeBoard = async () => (await board)?.close?.();
    return [{ close: closeBoard }, openBroker(ground, async () => (await openBoardOnce()).board)];
  },
  async teamchat(ground) {
    const [{ openBoard }, { openPeers }, { openChat }] = await Promise.all([
      import('./board.ts'),
      import('./peers.ts'),
      import('./chat.ts'),
    ]);
    const [board, peers] = [openBoard(ground), openPeers(ground)];
    return [board, peers, openChat(ground, { ...board, mentions: peers.peers })];
  },
  async brain(ground) {
    const [{ openBoard }, { openBrain }] = await Promise.all([import('./board.ts'), import('./brain.ts')]);
    const board = openBoard(ground);
    return [board, openBrain(ground, board.board)];
  },
};

/** Any other name, the hub's own server among them, gets the whole house. */
export async function openRoomsFor(server: string, ground: Ground): Promise<LoneRooms> {
  const open = Object.hasOwn(LONE, server) ? LONE[server] : undefined;
  if (!open) {
    const { openRooms } = await import('../rooms.ts');
    const house = openRooms(ground);
    house.work(newId());
    return house;
  }
  const rooms = await open(ground);
  const running = rooms.flatMap((room) => room.work?.(newId()) ?? []);
  return {
    registry: registryOf(rooms),
    postscript: ground.config.offerMail ? piggyback(ground) : undefined,
    async close() {
      await Promise.all(running.map((each) => each.stop()));
      for (const room of rooms.toReversed()) await room.close?.();
    },
  };
}

/** Only bound agents have mail, so only their first answer pays for looking. */
function piggyback(ground: Ground): AskPostscript {
  let ask: Promise<AskPostscript | undefined> | undefined;
  return async (who, tool) => {
    if (who.bound.agent === undefined) return undefined;
    ask ??= import('./peers.ts').then(({ openPeers }) => openPeers(ground).postscript);
    return (await ask)?.(who, tool);
  };
}
