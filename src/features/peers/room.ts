import { systemActor } from '../../kernel/principal.ts';
import type { RoomDeclaration } from '../room.ts';
import { createPeers, type Peers } from './peers.ts';
import { mailPostscript, peerTools } from './tools.ts';

export const peersRoom: RoomDeclaration<object, Peers> = {
  key: 'peers',
  needs: [],
  open({ db, config, log, acting }) {
    const peers = createPeers(db, { log });
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
