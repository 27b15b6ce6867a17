import { type Access, createAccess } from '../features/access/access.ts';
import { forgetRevokedUrls, forgetSessions } from '../features/access/rows.ts';
import { systemActor } from '../kernel/principal.ts';
import type { Ground, Room } from './room.ts';

const HOUR = 60 * 60_000;

export function openAccess({ db, log }: Ground): Room & Readonly<{ access: Access }> {
  const access = createAccess({ db, log });
  return {
    access,
    routes: async () => (await import('../features/access/routes.ts')).accessRoutes(db, access),
    chores: [
      { name: 'access-sessions', everyMs: HOUR, run: () => db.write(systemActor, (tx) => forgetSessions(tx, tx.now)) },
      { name: 'access-revocations', everyMs: HOUR, run: () => db.write(systemActor, (tx) => forgetRevokedUrls(tx, tx.now)) },
    ],
  };
}
