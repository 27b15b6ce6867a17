import { createPeers, type Peers } from '../features/peers/peers.ts';
import { peerTools } from '../features/peers/tools.ts';
import { systemActor } from '../kernel/principal.ts';
import type { Ground, Room } from './room.ts';

export function openPeers({ db }: Ground): Room & Readonly<{ peers: Peers }> {
  const peers = createPeers(db);
  let isOpen = true;
  const house = { db, peers: () => (isOpen ? peers : undefined) };
  return {
    peers,
    hubTools: peerTools(house),
    routes: async () => (await import('../features/peers/routes.ts')).peersRoutes(house),
    chores: [{ name: 'peers-tidy', everyMs: 15_000, run: () => db.write(systemActor, (tx) => peers.tidy(tx)) }],
    async close() {
      isOpen = false;
    },
  };
}
