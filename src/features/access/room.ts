import { systemActor } from '../../kernel/principal.ts';
import type { RoomDeclaration } from '../room.ts';
import { createAccess, type Access } from './access.ts';
import { forgetSessions } from './rows.ts';

const HOUR = 60 * 60_000;

export const accessRoom: RoomDeclaration<object, Access> = {
  key: 'access',
  needs: [],
  open({ db, log, acting }) {
    const access = createAccess({ db, log });
    return {
      service: access,
      pages: async () => access.oauth.pages(),
      routes: async () => (await import('./routes.ts')).accessRoutes(acting, access),
      chores: [
        { name: 'access-sessions', everyMs: HOUR, run: () => db.write(systemActor, (tx) => forgetSessions(tx, tx.now)) },
        { name: 'access-oauth', everyMs: HOUR, run: () => db.write(systemActor, (tx) => access.oauth.tidy(tx)) },
      ],
    };
  },
};
