import { systemActor } from '../../kernel/principal.ts';
import type { RoomDeclaration } from '../room.ts';
import { createAccess, type Access } from './access.ts';
import { forgetRevokedUrls, forgetSessions, teamsOfTokens } from './rows.ts';
import { countSeats, forgetSeats } from './seats/rows.ts';

const HOUR = 60 * 60_000;
/** Who was silent for this long is a stranger when it comes again. */
const KEEP_SEATS = 7 * 24 * HOUR;

export const accessRoom: RoomDeclaration<object, Access> = {
  key: 'access',
  needs: [],
  open({ db, log, acting, seats }) {
    const access = createAccess({ db, log });
    return {
      service: access,
      teams: teamsOfTokens,
      figures: async (q) => ({ sessions: await countSeats(q) }),
      pages: async () => access.oauth.pages(),
      routes: async () => (await import('./routes.ts')).accessRoutes(acting, access, seats),
      chores: [
        {
          name: 'access-sessions',
          everyMs: HOUR,
          run: () => db.write(systemActor, (tx) => forgetSessions(tx, tx.now)),
        },
        {
          name: 'access-revocations',
          everyMs: HOUR,
          run: () => db.write(systemActor, (tx) => forgetRevokedUrls(tx, tx.now)),
        },
        {
          name: 'access-seats',
          everyMs: HOUR,
          run: () => db.write(systemActor, (tx) => forgetSeats(tx, tx.now - KEEP_SEATS)),
        },
        { name: 'access-left', everyMs: 15_000, run: () => seats.endSilent() },
        {
          name: 'access-oauth',
          everyMs: HOUR,
          run: () => db.write(systemActor, (tx) => access.oauth.tidy(tx)),
        },
      ],
    };
  },
};
