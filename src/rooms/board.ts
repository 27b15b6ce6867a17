import { createBoard, type Board } from '../features/board/board.ts';
import { tasksServer } from '../features/board/tools.ts';
import { systemActor } from '../kernel/principal.ts';
import type { Ground, Room } from './room.ts';

export function openBoard({ db, config, log }: Ground): Room & Readonly<{ board: Board }> {
  const { leaseMs, limits } = config;
  const board = createBoard({
    db,
    leaseMs,
    log,
    limits: { rootTasksPerTeam: limits.rootTasks, childrenPerTask: limits.children, depth: limits.depth },
  });
  return {
    board,
    servers: [tasksServer(db, board)],
    routes: async () => (await import('../features/board/routes.ts')).boardRoutes(db, board),
    chores: [
      {
        name: 'board-sweep',
        everyMs: 15_000,
        async run() {
          while ((await db.write(systemActor, (tx) => board.sweep(tx))) > 0);
        },
      },
    ],
    close: () => board.close(),
  };
}
