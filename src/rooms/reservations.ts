import type { Board } from '../features/board/board.ts';
import { identify } from '../features/board/identity.ts';
import { createReservations, type Claims } from '../features/reservations/reservations.ts';
import { reservationTools } from '../features/reservations/tools.ts';
import { HubError } from '../kernel/errors.ts';
import { systemActor } from '../kernel/principal.ts';
import type { Ground, Room } from './room.ts';

export function openReservations({ db }: Ground, board: Board): Room {
  const reservations = createReservations(claimsOf(board));
  return {
    hubTools: reservationTools(db, reservations),
    guestTools: { tasks: reservationTools(db, reservations, 'extended') },
    routes: async () => (await import('../features/reservations/routes.ts')).reservationRoutes(db, reservations),
    chores: [{ name: 'reservations-tidy', everyMs: 60_000, run: () => db.write(systemActor, (tx) => reservations.tidy(tx)) }],
  };
}

/** The board decides who holds a task; reserving is a sign of life like any other. */
export function claimsOf(board: Board): Claims {
  return {
    async requireHolder(q, { who, taskId, agentId, fence }) {
      const caller = identify(who, { agentId, fence });
      await board.heartbeat(q, caller, taskId).catch((error: unknown) => {
        throw error instanceof HubError ? new HubError(error.code, error.message.replace(/^heartbeat/, 'reserve'), error.details) : error;
      });
      const [holder] = await board.holders(q, [taskId]);
      if (!holder) throw new HubError('conflict', 'reserve failed: not_claimed', { taskId, hint: 'Claim the task first.' });
      return holder;
    },
    holders: (q, taskIds) => board.holders(q, taskIds),
  };
}
