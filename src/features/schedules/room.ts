// How schedules are opened: what they ask of the other rooms, and what runs for them.
import { systemActor } from '../../kernel/principal.ts';
import { behindService, routesOf, toolsOf } from '../../operation/faces.ts';
import { startWorker } from '../../store/worker.ts';
import type { Board } from '../board/board.ts';
import type { Broker } from '../broker/broker.ts';
import type { DispatchRoom } from '../dispatch/dispatch.ts';
import type { ProjectsService } from '../projects/projects.ts';
import type { RoomDeclaration } from '../room.ts';
import { createBegin } from './begin.ts';
import { ASK_QUEUE, FIRE_QUEUE } from './fires.ts';
import { scheduleOperations } from './operations.ts';
import { startPlanner } from './planner.ts';
import { dropFiresBefore, moveToProject } from './rows.ts';
import { createSchedules, type Schedules } from './schedules.ts';
import { addTool, triggerTool } from './tools.ts';
import { startTriggers } from './triggers.ts';

type Needs = Readonly<{ board: Board; broker: Broker; dispatch: DispatchRoom; projects: ProjectsService }>;

const HOUR = 3_600_000;
/** What fired is kept so long; a webhook's signature counts once for as long. */
const KEEP_MS = 30 * 24 * HOUR;
/** Starts at once, and questions that a person has open at once. */
const WORKERS = 2;
const ASKERS = 4;

export const schedulesRoom: RoomDeclaration<Needs, Schedules> = {
  key: 'schedules',
  needs: ['board', 'broker', 'dispatch', 'projects'],
  open({ db, acting, log }, { board, broker, dispatch, projects }) {
    const schedules = createSchedules({ acting, now: () => db.now(), dispatch, projects });
    const begin = createBegin({ db, log, board, dispatch, triggerTool: () => trigger });
    const trigger = broker.wrap(triggerTool(begin.allowed));
    const add = broker.wrap(addTool(schedules));
    const behind = behindService('schedules', acting, { schedules, addTool: add });
    const workers = (holder: string, queue: string, count: number) =>
      Array.from({ length: count }, () => startWorker({ db, log, queue, holder, run: begin.begin }));
    return {
      service: schedules,
      hubSource: broker.listOf([add, ...toolsOf(behind, scheduleOperations)]),
      routes: async () => routesOf(behind, scheduleOperations),
      pages: async () => [(await import('./webhook.ts')).webhookPage(db)],
      ofProject: {
        move: async (tx, { from, into }) => ({ schedules: await moveToProject(tx, from, into) }),
      },
      chores: [
        {
          name: 'schedule-fires-tidy',
          everyMs: HOUR,
          async run() {
            while ((await db.write(systemActor, (tx) => dropFiresBefore(tx, tx.now - KEEP_MS))) > 0);
          },
        },
      ],
      start: (hub) => [
        startPlanner({ db, log }),
        startTriggers({ db, log, board, dispatch }, hub),
        ...workers(hub, FIRE_QUEUE, WORKERS),
        ...workers(hub, ASK_QUEUE, ASKERS),
      ],
    };
  },
};
