import { systemActor } from '../../kernel/principal.ts';
import type { Database } from '../../store/database.ts';
import { behindService, extended, toolsOf } from '../../operation/faces.ts';
import type { Chore, RoomDeclaration } from '../room.ts';
import { type AskBudgets, type BoardRoom, createBoard } from './board.ts';
import { boardBrief } from './brief.ts';
import { boardPulse } from './rows/pulse.ts';
import { shelveOld } from './people/shelf.ts';
import { tasksServer } from './server.ts';
import { whoami } from './whoami.ts';
import { countOpenOf, countTasks, moveTasks, teamsOfTasks } from './rows/stats.ts';

/** The documented servers: whoever attaches to one can ask there who it is. */
const SERVERS = ['tasks', 'memory', 'tools', 'teamchat', 'brain'];

export const boardRoom: RoomDeclaration<object, BoardRoom> = {
  key: 'board',
  needs: [],
  open({ db, config, log, acting, seats, briefings }) {
    const { leaseMs, longestMs, limits } = config;
    const board = createBoard({
      db,
      leaseMs,
      longestMs,
      seats,
      log,
      limits: { rootTasksPerTeam: limits.rootTasks, childrenPerTask: limits.children, depth: limits.depth },
    });
    let budgets: AskBudgets | undefined;
    const told = { acting, board, briefings, budgets: (): AskBudgets | undefined => budgets };
    const own = toolsOf(behindService('board', acting, told), [whoami]);
    return {
      service: { ...board, followBudgets: (left) => void (budgets = left) },
      teams: teamsOfTasks,
      ofProject: {
        countOpen: countOpenOf,
        move: async (tx, { from, into }) => ({ tasks: await moveTasks(tx, from, into) }),
      },
      pulse: boardPulse,
      figures: (q, { now }) => countTasks(q, now),
      servers: [tasksServer(acting, board)],
      brief: boardBrief(db),
      postscript: briefings?.postscript,
      hubTools: async () => own,
      guestTools: Object.fromEntries(SERVERS.map((server) => [server, extended(own)])),
      routes: async () =>
        (await import('./routes.ts')).boardRoutes({ db, acting, board, depth: limits.depth }),
      chores: [
        {
          name: 'board-sweep',
          everyMs: 15_000,
          async run() {
            while ((await db.write(systemActor, (tx) => board.sweep(tx))) > 0);
          },
        },
        ...(briefings ? [{ name: 'briefings-tidy', everyMs: HOUR, run: () => briefings.tidy() }] : []),
        ...(config.retention.tasksMs > 0 ? [shelvingChore(db, config.retention.tasksMs)] : []),
      ],
      close: () => board.close(),
    };
  },
};

const HOUR = 60 * 60_000;

function shelvingChore(db: Database, olderThanMs: number): Chore {
  return {
    name: 'board-shelving',
    everyMs: HOUR,
    async run() {
      while ((await db.write(systemActor, (tx) => shelveOld(tx, olderThanMs))) > 0);
    },
  };
}
