import { HubError } from '../../kernel/errors.ts';
import { systemActor } from '../../kernel/principal.ts';
import type { Board } from '../board/board.ts';
import { extended, type Behind, behindService, routesOf, toolsOf } from '../../operation/faces.ts';
import type { Acting } from '../../store/calls.ts';
import type { ProjectsService } from '../projects/projects.ts';
import type { RoomDeclaration } from '../room.ts';
import {
  createReservations,
  type ClaimKeeper,
  type ReservationDesk,
  type Reservations,
  type ReservationView,
} from './reservations.ts';
import { createGuard } from './guard.ts';
import { guardOperations, reservationOperations } from './operations.ts';

export const reservationsRoom: RoomDeclaration<{ board: Board; projects: ProjectsService }, Reservations> = {
  key: 'reservations',
  needs: ['board', 'projects'],
  open({ db, acting, seats }, { board, projects }) {
    const reservations = createReservations(claimsOf(board), projects.workplaces);
    const behind = behindReservations(acting, reservations);
    const guard = createGuard({ db, reservations, seats, projects });
    const tools = toolsOf(behind, reservationOperations);
    return {
      service: reservations,
      hubTools: async () => tools,
      guestTools: { tasks: extended(tools) },
      routes: async () => [
        ...routesOf(behind, reservationOperations),
        ...routesOf(behindService('reservations', acting, guard), guardOperations),
      ],
      chores: [
        {
          name: 'reservations-tidy',
          everyMs: 60_000,
          run: () => db.write(systemActor, (tx) => reservations.tidy(tx)),
        },
      ],
    };
  },
};

export function behindReservations(
  acting: Acting,
  service: Reservations,
): Behind<ReservationView, ReservationDesk, Reservations> {
  return { tag: 'reservations', acting, look: service.at, change: service.in, service };
}

/** The board decides who holds a task; reserving is a sign of life like any other. */
export function claimsOf(board: Board): ClaimKeeper {
  return {
    async requireHolder(tx, caller, taskId) {
      await board
        .in(tx, caller)
        .keepAlive(taskId)
        .catch((error: unknown) => {
          if (!(error instanceof HubError)) throw error;
          throw new HubError(error.code, error.message.replace(/^heartbeat/, 'reserve'), error.details);
        });
      const [holder] = await board.holders(tx, [taskId]);
      if (!holder)
        throw new HubError('conflict', 'reserve failed: not_claimed', {
          taskId,
          hint: 'Claim the task first.',
        });
      return holder;
    },
    holders: (q, taskIds) => board.holders(q, taskIds),
  };
}
