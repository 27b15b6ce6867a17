// How pulse is opened: it stands on nothing but what the other rooms say of themselves.
import { behindService, routesOf } from '../../operation/faces.ts';
import type { RoomDeclaration } from '../room.ts';
import { pulseOperations } from './operations.ts';
import { createPulse } from './pulse.ts';

export const pulseRoom: RoomDeclaration<object, undefined> = {
  key: 'pulse',
  needs: [],
  open: ({ db, acting }) => ({
    service: undefined,
    async routes(rooms) {
      const asked = rooms.flatMap(({ pulse }) => pulse ?? []);
      const service = createPulse({ acting, now: () => db.now(), rooms: () => asked });
      return routesOf(behindService('pulse', acting, service), pulseOperations);
    },
  }),
};
