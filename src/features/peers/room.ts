import { systemActor } from '../../kernel/principal.ts';
import type { RoomDeclaration } from '../room.ts';
import type { Query } from '../../store/database.ts';
import { peerOfSeat } from './connected.ts';
import { createPeers, type Peers } from './peers.ts';
import { mailPostscript, peerTools } from './tools.ts';

export const peersRoom: RoomDeclaration<object, Peers> = {
  key: 'peers',
  needs: [],
  open({ db, config, log, acting, seats }) {
    // Only the hub endpoint takes its callers for agents; a documented server may be anybody's.
    const living = async (q: Query) =>
      (await seats.living(q)).filter(({ server, isBound }) => server === 'hub' || isBound).map(peerOfSeat);
    const peers = createPeers(db, { log, living });
    let isOpen = true;
    const house = { db, acting, peers: () => (isOpen ? peers : undefined) };
    return {
      service: peers,
      postscript: config.offerMail ? mailPostscript(peers) : undefined,
      hubTools: peerTools(house),
      routes: async () => (await import('./routes.ts')).peersRoutes(house),
      chores: [
        {
          name: 'peers-tidy',
          everyMs: 15_000,
          run: () => tidyAll(() => db.write(systemActor, (tx) => peers.tidy(tx))),
        },
      ],
      settle() {
        isOpen = false;
      },
      close: () => peers.close(),
    };
  },
};

/** A full batch means there may be more. */
async function tidyAll(tidy: () => Promise<number>): Promise<void> {
  while ((await tidy()) > 0);
}
