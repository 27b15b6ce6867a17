import { systemActor } from '../../kernel/principal.ts';
import type { RoomDeclaration } from '../room.ts';
import { createAccess, type Access } from './access.ts';
import { forgetSessions } from './rows.ts';
import { LIVING_MS } from './seats.ts';

const HOUR = 60 * 60_000;

export const accessRoom: RoomDeclaration<object, Access> = {
  key: 'access',
  needs: [],
  open({ db, log, acting, seats }) {
    const access = createAccess({ db, log });
    return {
      service: access,
      routes: async () => [
        ...(await import('./routes.ts')).accessRoutes(acting, access),
        ...(await import('./seat-routes.ts')).seatRoutes(acting, seats, { forMs: LIVING_MS, now: () => db.now() }),
      ],
      chores: [{ name: 'access-sessions', everyMs: HOUR, run: () => db.write(systemActor, (tx) => forgetSessions(tx, tx.now)) }],
    };
  },
};
