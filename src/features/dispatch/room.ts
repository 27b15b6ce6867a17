// How dispatch is opened: what it asks of the other rooms, and what it serves.
import { readAnnouncement, announcementPath } from '../../kernel/discovery.ts';
import { type Principal, systemActor } from '../../kernel/principal.ts';
import { behindService, routesOf, toolsOf } from '../../operation/faces.ts';
import type { Access } from '../access/access.ts';
import type { Board } from '../board/board.ts';
import type { Broker } from '../broker/broker.ts';
import type { Landings } from '../landing/landing.ts';
import type { ProjectsService } from '../projects/projects.ts';
import { hubCaller } from '../../store/acting.ts';
import type { RoomDeclaration } from '../room.ts';
import { projectLimits } from './start/budgets.ts';
import { createDispatch, type Dispatch } from './dispatch.ts';
import { runOperations } from './operations.ts';
import { createHooks } from './hooks/hooks.ts';
import { agentCallTool, budgetTool, callPrefix, createAsk, createAskBudget } from './attempt/permissions.ts';
import { tellProjectNear } from './attempt/spending-watch.ts';
import { folderOf } from './rules.ts';
import { countByState, findRunOfToken } from './rows/runs.ts';
import { runTasks } from './tasks.ts';
import { createOrders } from './start/orders.ts';
import { runTaskTool, sendTool } from './tools.ts';
import { createWork, createWorkHooks } from './work/work.ts';

const HOUR = 3_600_000;

type Needs = Readonly<{
  access: Access;
  board: Board;
  broker: Broker;
  landing: Landings;
  projects: ProjectsService;
}>;

export const dispatchRoom: RoomDeclaration<Needs, Dispatch> = {
  key: 'dispatch',
  needs: ['access', 'board', 'broker', 'landing', 'projects'],
  open({ db, acting, config, log, seats }, { access, board, broker, landing, projects }) {
    const { isAwaited } = landing;
    const atWork = createWorkHooks({ db, board, config, log, isAwaited });
    const ask = createAsk(broker.wrap(agentCallTool()));
    const dispatch: Dispatch = createDispatch({
      db,
      acting,
      log,
      config,
      env: process.env,
      access,
      projects,
      runAcp: async (lane, more) => (await import('./lanes/acp.ts')).runAcp(lane, more, ask),
      address: () => addressOf(config),
      askBudget: createAskBudget(broker.wrap(budgetTool())),
      seated: atWork.seated,
      prepare: atWork.prepare,
      review: atWork.review,
      async settle(tx, run, { review, counted }) {
        await broker.in(tx, hubCaller).withdraw(callPrefix(run.id));
        await tellProjectNear(tx, run, { of: projectLimits(config, run.project), before: counted });
        await atWork.settle(tx, run, review);
      },
      ended: atWork.ended,
    });
    projects.workplaces.followRuns(async (credential) => {
      const run = await db.read((q) => findRunOfToken(q, credential));
      return run && folderOf(run);
    });
    const hooks = createHooks({ db, log, isLocalAllowed: config.dispatch.localWebhooks });
    const heard = (who: Principal) => seats.heard(who);
    const work = createWork({ acting, board, config, heard, dispatch });
    const send = broker.wrap(sendTool(dispatch));
    const run = broker.wrap(runTaskTool(work));
    const orders = createOrders({ dispatch, work, sendTool: send, runTool: run });
    const behind = { tag: 'runs', acting, look: dispatch.at, change: dispatch.in, service: dispatch };
    const { keepMs } = config.dispatch;
    const { askClient } = config.tools;
    return {
      service: dispatch,
      figures: async (q) => ({ runs: await countByState(q) }),
      tasks: runTasks({ db, acting, dispatch, broker, keepMs, askClient }),
      hubSource: broker.listOf([send, run, ...toolsOf(behind, runOperations)]),
      routes: async () => [
        ...routesOf(behind, runOperations),
        ...(await import('./routes.ts')).runStreams({ dispatch, orders }),
        ...routesOf(
          behindService('runs', acting, { orders, work }),
          (await import('./work/operations.ts')).workOperations,
        ),
        ...routesOf(
          { tag: 'runs', acting, look: hooks.at, change: hooks.in, service: hooks },
          (await import('./hooks/operations.ts')).hookOperations,
        ),
        ...(await import('./a2a/routes.ts')).a2aRoutes({ acting, dispatch, orders, broker, hooks }, () =>
          addressOf(config),
        ),
      ],
      chores: [
        { name: 'runs-recover', everyMs: 15_000, run: () => dispatch.recover() },
        {
          name: 'runs-tidy',
          everyMs: HOUR,
          async run() {
            while ((await db.write(systemActor, (tx) => dispatch.tidy(tx))) > 0);
          },
        },
      ],
      start(hub) {
        const begun = dispatch
          .begin()
          .catch((error: unknown) => log.error('lost runs could not be ended', { error }));
        return [{ stop: () => begun }, ...hooks.start(hub)];
      },
      async close() {
        work.close();
        await dispatch.close();
      },
    };
  },
};

/** Where this very process is reached; a lone stdio server is not. */
function addressOf(config: Parameters<typeof announcementPath>[0]): string | undefined {
  const announced = readAnnouncement(announcementPath(config));
  return announced?.pid === process.pid ? announced.address : undefined;
}
