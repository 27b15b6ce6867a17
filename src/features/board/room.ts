import { systemActor } from '../../kernel/principal.ts';
import type { RoomDeclaration } from '../room.ts';
import { createBoard, type Board } from './board.ts';
import { tasksServer } from './tools.ts';

export const boardRoom: RoomDeclaration<object, Board> = {
  key: 'board',
  needs: [],
  open({ db, config, log, acting, seats }) {
    const { leaseMs, longestMs, limits } = config;
    const board = createBoard({
      db,
      leaseMs,
      longestMs,
      seats,
      log,
      limits: { rootTasksPerTeam: limits.rootTasks, childrenPerTask: limits.children, depth: limits.depth },
    });
    return {
      service: board,
      servers: [tasksServer(acting, board)],
      routes: async () => (await import('./routes.ts')).boardRoutes({ db, acting, board }),
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
  },
};
