import { type Principal, systemActor } from '../../kernel/principal.ts';
import type { Board } from '../board/board.ts';
import type { Broker } from '../broker/broker.ts';
import type { RoomDeclaration, Chore, Ground } from '../room.ts';
import { boardOffer } from './board-offer.ts';
import { HUB_KEY, hubServer } from './hub.ts';
import { toolFinder } from './tool-finder.ts';
import { dropAnswersBefore, dropEventsBefore } from '../../store/retention.ts';

/** Its server is made last: its catalogue shows what the other rooms have put into the registry. */
export const hubRoom: RoomDeclaration<{ board: Board; broker: Broker }, undefined> = {
  key: 'hub',
  needs: ['board', 'broker'],
  open: ({ db, config }, { board, broker }) => ({
    service: undefined,
    chores: [retentionChore({ db, config })],
    async catalogue(registry, rooms) {
      const offers = [boardOffer(db, board), ...rooms.flatMap(({ offer }) => offer ?? [])];
      const listed = () => registry.get(HUB_KEY)!.toolList;
      const ofRooms = await Promise.all(rooms.map(async (room) => (await room.hubTools?.()) ?? []));
      const own = [...ofRooms.flat(), ...toolFinder(listed)];
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

const HOUR = 60 * 60_000;
const KEEP_ANSWERS = 7 * 24 * HOUR;

/** The store's own tidying: old events and old idempotent answers. */
function retentionChore({ db, config }: Pick<Ground, 'db' | 'config'>): Chore {
  const { eventsMs } = config.retention;
  return {
    name: 'retention',
    everyMs: HOUR,
    async run() {
      if (eventsMs > 0)
        while ((await db.write(systemActor, (tx) => dropEventsBefore(tx, tx.now - eventsMs))) > 0);
      await db.write(systemActor, (tx) => dropAnswersBefore(tx, tx.now - KEEP_ANSWERS));
    },
  };
}
