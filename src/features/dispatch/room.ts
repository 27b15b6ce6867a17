// How dispatch is opened: what it asks of the other rooms, and what it serves.
import { readAnnouncement, announcementPath } from '../../kernel/discovery.ts';
import { type Principal, systemActor } from '../../kernel/principal.ts';
import { behindService, routesOf, toolsOf } from '../../operation/faces.ts';
import type { Access } from '../access/access.ts';
import type { BoardRoom } from '../board/board.ts';
import type { Broker } from '../broker/broker.ts';
import type { Landings } from '../landing/landing.ts';
import type { Peers } from '../peers/peers.ts';
import type { ProjectsService } from '../projects/projects.ts';
import { hubCaller } from '../../store/calls.ts';
import type { RoomDeclaration } from '../room.ts';
import { costsOfTasks } from './rows/costs.ts';
import { projectLimits } from './start/budgets.ts';
import { createDispatch, type Dispatch, type DispatchRoom } from './dispatch.ts';
import { runOperations } from './operations.ts';
import { createHooks } from './hooks/hooks.ts';
import { agentCallTool, budgetTool, callPrefix, createAsk, createAskBudget } from './attempt/permissions.ts';
import { createRunMail, noRunMail } from './attempt/run-mail.ts';
import { tellProjectNear } from './attempt/spending-watch.ts';
import { dispatchPulse } from './rows/pulse.ts';
import { folderOf, principalOf } from './rules.ts';
import { countByState, findRunOfToken, openWorktrees, runOnBranch } from './rows/runs.ts';
import { budgetOperations, budgetView } from './quota/operations.ts';
import { runTasks } from './tasks.ts';
import { createOrders } from './start/orders.ts';
import { runTaskTool, sendTool } from './tools.ts';
import { createSolver } from './work/solver.ts';
import { createTrials } from './trial/trials.ts';
import { createWork, createWorkHooks } from './work/work.ts';
import { ownTreeOf } from './worktree/own-tree.ts';

const HOUR = 3_600_000;

type Needs = Readonly<{
  access: Access;
  board: BoardRoom;
  broker: Broker;
  landing: Landings;
  peers: Peers;
  projects: ProjectsService;
}>;

export const dispatchRoom: RoomDeclaration<Needs, DispatchRoom> = {
  key: 'dispatch',
  needs: ['access', 'board', 'broker', 'landing', 'peers', 'projects'],
  open({ db, acting, config, log, seats, knocks }, { access, board, broker, landing, peers, projects }) {
    const { isAwaited } = landing;
    const atWork = createWorkHooks({ db, board, config, log, isAwaited });
    const ask = createAsk(broker.wrap(agentCallTool()));
    const heard = (who: Principal) => seats.heard(who);
    const dispatch: Dispatch = createDispatch({
      db,
      acting,
      log,
      config,
      env: process.env,
      access,
      projects,
      runAcp: async (lane, more) => (await import('./lanes/acp.ts')).runAcp(lane, more, ask),
      ask,
      address: () => addressOf(config),
      askBudget: createAskBudget(broker.wrap(budgetTool())),
      seated: atWork.seated,
      reclaim: atWork.reclaim,
      prepare: atWork.prepare,
      review: atWork.review,
      mail: config.wake === false ? noRunMail : createRunMail(peers, knocks),
      async withdraw(tx, run) {
        await broker.in(tx, hubCaller).withdraw(callPrefix(run.id));
      },
      async settle(tx, run, { review, counted }) {
        await broker.in(tx, hubCaller).withdraw(callPrefix(run.id));
        await tellProjectNear(tx, run, { of: projectLimits(config, run.project), before: counted });
        await atWork.settle(tx, run, review);
      },
      alive: (run) => void (run.boardTask !== null && heard(principalOf(run))),
      async ended(run) {
        await atWork.ended(run);
        if (run.boardTask === null) return;
        solver.nudge();
        if (run.trial !== null) trials.nudge();
      },
    });
    board.followCosts(costsOfTasks);
    board.followBudgets(async (q, { who }) =>
      budgetView(q, who, { budget: dispatch.budget, now: db.now() }).limited(),
    );
    projects.workplaces.followRuns(async (credential) => {
      const run = await db.read((q) => findRunOfToken(q, credential));
      return run && folderOf(run);
    });
    const solver = createSolver({ db, acting, log, board, landing, dispatch });
    landing.followRuns({
      runOn: async (q, at) => (await runOnBranch(q, at))?.id,
      branches: async (q) =>
        (await openWorktrees(q)).flatMap(({ worktree, team, boardTask, agent }) =>
          team === null ? [] : [{ project: team, branch: worktree.branch, taskId: boardTask, agent }],
        ),
      conflicted: () => solver.nudge(),
    });
    const hooks = createHooks({ db, log, isLocalAllowed: config.dispatch.localWebhooks });
    const work = createWork({ acting, board, config, heard, dispatch });
    const { leaseMs } = config;
    const trials = createTrials({ db, acting, log, board, landing, dispatch, work, leaseMs });
    const send = broker.wrap(sendTool(dispatch));
    const run = broker.wrap(runTaskTool(work));
    const orders = createOrders({ dispatch, work, sendTool: send, runTool: run });
    const behind = { tag: 'runs', acting, look: dispatch.at, change: dispatch.in, service: dispatch };
    const { keepMs } = config.dispatch;
    const { askClient } = config.tools;
    return {
      service: { ...dispatch, work, treeOf: ownTreeOf },
      pulse: dispatchPulse,
      figures: async (q) => ({ runs: await countByState(q) }),
      tasks: runTasks({ db, acting, dispatch, broker, keepMs, askClient }),
      hubSource: broker.listOf([send, run, ...toolsOf(behind, runOperations)]),
      routes: async () => [
        ...routesOf(behind, runOperations),
        ...routesOf(
          {
            tag: 'runs',
            acting,
            look: (q, { who }) => budgetView(q, who, { budget: dispatch.budget, now: db.now() }),
            change: dispatch.in,
            service: dispatch,
          },
          budgetOperations,
        ),
        ...(await import('./routes.ts')).runStreams({ dispatch, orders }),
        ...routesOf(
          behindService('runs', acting, dispatch.pool),
          (await import('./pool/operations.ts')).poolOperations,
        ),
        ...routesOf(
          behindService('runs', acting, { orders, work, trials }),
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
      pipes: async () => (await import('./pool/git-http.ts')).gitPipes({ db, log, home: config.home }),
      chores: [
        { name: 'trials-look', everyMs: 15_000, run: () => trials.look() },
        { name: 'conflicts-solve', everyMs: 15_000, run: () => solver.look() },
        { name: 'runs-recover', everyMs: 15_000, run: () => dispatch.recover() },
        {
          name: 'runs-tidy',
          everyMs: HOUR,
          async run() {
            while ((await db.write(systemActor, (tx) => dispatch.tidy(tx))) > 0);
            await dispatch.tidyMirrors();
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
        await solver.settled();
        await trials.close();
      },
    };
  },
};

/** Where this very process is reached; a lone stdio server is not. */
function addressOf(config: Parameters<typeof announcementPath>[0]): string | undefined {
  const announced = readAnnouncement(announcementPath(config));
  return announced?.pid === process.pid ? announced.address : undefined;
}
