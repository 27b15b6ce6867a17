import type { Principal } from '../../kernel/principal.ts';
import type { Board } from '../board/board.ts';
import type { Broker } from '../broker/broker.ts';
import type { RoomDeclaration } from '../room.ts';
import { boardOffer } from './board-offer.ts';
import { HUB_KEY, hubServer } from './hub.ts';
import { retentionChore } from './retention.ts';
import { toolFinder } from './tool-finder.ts';

/** Its server is made last: its catalogue shows what the other rooms have put into the registry. */
export const hubRoom: RoomDeclaration<{ board: Board; broker: Broker }, undefined> = {
  key: 'hub',
  needs: ['board', 'broker'],
  open: ({ db, config }, { board, broker }) => ({
    service: undefined,
    chores: [retentionChore({ db, config })],
    catalogue(registry, rooms) {
      const offers = [boardOffer(db, board), ...rooms.flatMap(({ offer }) => offer ?? [])];
      const listed = () => registry.get(HUB_KEY)!.toolList;
      const own = [...rooms.flatMap(({ hubTools }) => hubTools ?? []), ...toolFinder(listed)];
      const ownSources = rooms.flatMap(({ hubSource }) => hubSource ?? []);
      const views = {
        named: config.profiles,
        hasWorkspace: config.tools.workspace !== undefined,
        budget: config.tools.budget,
        lately: (who: Principal) => broker.audit.lately(who),
      };
      const tasks = rooms.flatMap((room) => room.tasks ?? []);
      return hubServer({ registry, own, ownSources, offers, views, tasks });
    },
  }),
};
