import { createPeers, type Peers } from '../features/peers/peers.ts';
import { mailPostscript, peerTools } from '../features/peers/tools.ts';
import { systemActor } from '../kernel/principal.ts';
import type { AskPostscript } from '../mcp/postscript.ts';
import type { Ground, Room } from './room.ts';

type PeersRoom = Room & Readonly<{ peers: Peers; postscript: AskPostscript | undefined }>;

export function openPeers({ db, config, log }: Ground): PeersRoom {
  const peers = createPeers(db, { log });
  let isOpen = true;
  const house = { db, peers: () => (isOpen ? peers : undefined) };
  return {
    peers,
    postscript: config.offerMail ? mailPostscript(peers) : undefined,
    hubTools: peerTools(house),
    routes: async () => (await import('../features/peers/routes.ts')).peersRoutes(house),
    chores: [{ name: 'peers-tidy', everyMs: 15_000, run: () => tidyAll(() => db.write(systemActor, (tx) => peers.tidy(tx))) }],
    settle() {
      isOpen = false;
    },
    close: () => peers.close(),
  };
}

/** A full batch means there may be more. */
async function tidyAll(tidy: () => Promise<number>): Promise<void> {
  while ((await tidy()) > 0);
}
