import { systemActor } from '../../kernel/principal.ts';
import type { RoomDeclaration } from '../room.ts';
import type { Query } from '../../store/database.ts';
import { mailBrief } from './brief.ts';
import { peerOfSeat } from './register/connected.ts';
import { startKnocking } from './mail/knocks.ts';
import { createPeers, type Peers } from './peers.ts';
import { mailPostscript } from './mail/piggyback-mail.ts';
import { teamsOfMailboxes } from './rows/circles.ts';

export const peersRoom: RoomDeclaration<object, Peers> = {
  key: 'peers',
  needs: [],
  open({ db, config, log, acting, seats, knocks }) {
    // Only the hub endpoint takes its callers for agents; a documented server may be anybody's.
    const living = async (q: Query) =>
      (await seats.living(q)).filter(({ server, isBound }) => server === 'hub' || isBound).map(peerOfSeat);
    const peers = createPeers(db, { log, acting, living });
    return {
      service: peers,
      teams: teamsOfMailboxes,
      postscript: config.offerMail ? mailPostscript(peers.piggyback) : undefined,
      brief: mailBrief(db),
      hubTools: async () => (await import('./operations.ts')).peerTools(acting, peers),
      routes: async () => (await import('./routes.ts')).peersRoutes(acting, peers),
      chores: [
        {
          name: 'peers-tidy',
          everyMs: 15_000,
          run: () => tidyAll(() => db.write(systemActor, (tx) => peers.tidy(tx))),
        },
      ],
      start: (hub) => (knocks && config.wake !== false ? [startKnocking({ db, knocks, log, hub })] : []),
      settle: () => peers.settle(),
      close: () => peers.close(),
    };
  },
};

/** A full batch means there may be more. */
async function tidyAll(tidy: () => Promise<number>): Promise<void> {
  while ((await tidy()) > 0);
}
