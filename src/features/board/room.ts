import { systemActor } from '../../kernel/principal.ts';
import type { RoomDeclaration } from '../room.ts';
import { createBoard, type Board } from './board.ts';
import { tasksServer } from './tools.ts';
import { whoamiTool } from './whoami.ts';

/** The documented servers: whoever attaches to one can ask there who it is. */
const SERVERS = ['tasks', 'memory', 'tools', 'teamchat', 'brain'];

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
    const door = { acting, board };
    return {
      service: board,
      servers: [tasksServer(acting, board)],
      hubTools: [whoamiTool(door)],
      guestTools: Object.fromEntries(SERVERS.map((server) => [server, [whoamiTool(door, 'extended')]])),
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
