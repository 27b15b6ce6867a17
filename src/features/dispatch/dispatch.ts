// Runs of agents: sending, looking, ending, waiting. How a request becomes a run is in `start/`.
import { hostname } from 'node:os';
import { beatMs } from '../../kernel/beat.ts';
import type { Config, Environment } from '../../kernel/config.ts';
import { eventsAfter, type StoredEvent } from './rows/events.ts';
import { HubError, toHubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Log } from '../../kernel/log.ts';
import { isPerson, type Principal, systemActor } from '../../kernel/principal.ts';
import type { Acting, Call, Caller } from '../../store/calls.ts';
import { readFreely } from '../../store/query-terms.ts';
import type { Database, Query, Tx } from '../../store/database.ts';
import type { Access } from '../access/access.ts';
import type { Locator } from '../projects/projects.ts';
import { type Agent, listAgents } from './agents/agents.ts';
import { type Channels, createChannels } from './stream/channels.ts';
import { createIdentity } from './messages/envelopes.ts';
import { createRunEnd, type EndParts, NO_END } from './attempt/end.ts';
import { setReason } from './stream/events.ts';
import { createAdoptRuns } from './start/adopt.ts';
import { createGate } from './start/gate.ts';
import { createKeeper } from './attempt/keeper.ts';
import { type AgentBudgets, createBudget } from './quota/budget.ts';
import { createRunQuota } from './quota/keep.ts';
import { createWaker } from './quota/wake.ts';
import { projectLimits } from './start/budgets.ts';
import { createMessages, type MessageView, type ReplyRequest } from './messages/messages.ts';
import type { AskBudget } from './attempt/permissions.ts';
import { dropOrphanHooks } from './rows/hooks.ts';
import { dropHubsBefore } from './rows/hubs.ts';
import {
  type ChangePosition,
  countRuns,
  dropRunsBefore,
  findRun,
  listRuns,
  listRunsByChange,
  newestRunBehind,
  type RunAct,
  type RunFilter,
} from './rows/runs.ts';
import { dropTrialsBefore } from './rows/trials.ts';
import { canSeeRun, isOver, noSuchRun, ownerOf } from './rules.ts';
import { attemptsOf, isRunner } from './rows/attempts.ts';
import { partsOf, type RunPart } from './rows/parts.ts';
import { RUN_FIELDS } from './run.ts';
import type { Attempt, Run, RunError } from './run.ts';
import { createSender, type SendMore, type SendRequest } from './start/sender.ts';
import type { AcpQuestion } from './lanes/acp.ts';
import { withOffered } from './pool/offered.ts';
import { createHubPresence } from './pool/hub-presence.ts';
import { createPlacing } from './pool/place-runs.ts';
import { createPool, type Pool } from './pool/pool.ts';
import { createQuestions } from './pool/questions.ts';
import { dropRunnersBefore, hearAttempt } from './pool/rows.ts';
import { createReports } from './pool/reports.ts';
import { createWorkPlaces } from './pool/work-places.ts';
import { createSlots } from './start/slots.ts';
import { createWorker, type Worker } from './start/worker.ts';
import { usageBefore } from './attempt/attempt.ts';
import { createBeginAttempt } from './attempt/begin.ts';
import { createGoOn } from './attempt/go-on.ts';
import { createLoseAttempt } from './attempt/lose.ts';
import { thisMachine } from '../../kernel/process/table.ts';
import { stopSubject } from './attempt/stop.ts';
import type { WorkMore, WorkRequest } from './work/request.ts';
import type { ownTreeOf } from './worktree/own-tree.ts';
import { createSupervisor, type RunSupervisorParts } from './attempt/supervisor.ts';

export type { Agent } from './agents/agents.ts';
export { callGoverned } from './governed.ts';
export { principalOf } from './rules.ts';
export type { SendMore } from './start/sender.ts';
export type { WorkMore, WorkRequest } from './work/request.ts';
export type { Run, Worktree } from './run.ts';
export { isOver } from './rules.ts';

/** What other rooms have done: runs, and tasks of the board by runs. */
export type DispatchRoom = Dispatch & Readonly<{ work: TaskStarter; treeOf: typeof ownTreeOf }>;

interface TaskStarter {
  /** Undefined when nothing is ready. */
  start(call: Call, request: WorkRequest, more?: WorkMore): Promise<Run | undefined>;
  /** The session of a run that is over goes on with these words. */
  resume(call: Call, id: string, prompt: string | undefined): Promise<Run>;
}

/** What one can do with agents and their runs. */
export interface Dispatch {
  agents(): readonly Agent[];
  /** Writes the intent and starts it when there is room. Answered means on disk. */
  send(call: Call, request: SendRequest, more?: SendMore): Promise<Run>;
  /** As a caller sees runs in a snapshot. */
  at(q: Query, caller: Caller): RunsView;
  /** As a caller changes them in a transaction. */
  in(tx: Tx, caller: Caller): RunsDesk;
  /** One run, as its caller sees it now. */
  get(call: Call, id: string): Promise<Run>;
  /** What is over stays as it is. Its process is told at once, not when the feed comes round. */
  cancel(call: Call, id: string): Promise<Run>;
  /** Cancels on behalf of a caller that has gone. */
  stop(id: string): Promise<void>;
  /** Resolves when one of them is over, or all; `undefined` when the time is. */
  wait(call: Call, ids: readonly string[], options: WaitOptions): Promise<readonly Run[] | undefined>;
  /** What a run says, to everybody who follows it. */
  readonly channels: Channels;
  /** What its runs name as the hub that ran them; another with every process. */
  readonly hub: string;
  /** The machines that take runs. */
  readonly pool: Pool;
  /** What this hub runs now. */
  active(): readonly Run[];
  /** What waits on this machine until a model takes more. */
  waiting(): Promise<readonly Run[]>;
  /** What agents used within hours and days, and what is left. */
  readonly budget: AgentBudgets;
  /** Ends what hubs left behind that are gone. */
  recover(): Promise<void>;
  begin(): Promise<void>;
  tidy(tx: Tx): Promise<number>;
  /** The same on the disk of this hub. */
  tidyMirrors(): Promise<void>;
  close(): Promise<void>;
}

export interface RunsView {
  /** Refused as not found when there is none that the caller may see. */
  get(id: string): Promise<Run>;
  list(filter: RunWish): Promise<Run[]>;
  /** What changed last comes first; `total` counts every page. */
  page(filter: RunPage): Promise<Readonly<{ runs: Run[]; total: number }>>;
  messages(id: string): Promise<MessageView[]>;
  attempts(id: string): Promise<Attempt[]>;
  /** Those of a run that was begun more than once. */
  parts(id: string): Promise<RunPart[]>;
  /** The newest run that acted under this name; else the newest that worked on this task. */
  behind(act: RunAct): Promise<Run | undefined>;
  /** What it said, in the order it was said; the next page begins after the last of this one. */
  frames(id: string, page: Readonly<{ after: number; limit: number }>): Promise<StoredEvent[]>;
}

export interface RunsDesk {
  reply(request: ReplyRequest): Promise<Run>;
}

type RunSpan = Omit<RunFilter, 'team' | 'of' | 'asked'>;
type RunWish = RunSpan & Readonly<{ q?: string | undefined }>;
type RunPage = RunSpan & Readonly<{ after?: ChangePosition | undefined }>;

type WaitOptions = Readonly<{
  timeoutMs: number;
  signal: AbortSignal;
  /** All of them, not only one. */
  all?: boolean;
}>;

export type DispatchParts = Readonly<{
  db: Database;
  acting: Acting;
  log: Log;
  config: Config;
  env: Environment;
  access: Access;
  projects: Locator;
  runAcp: RunSupervisorParts['runAcp'];
  /** What an agent wants to do, wherever it runs. */
  ask: AcpQuestion;
  address: RunSupervisorParts['address'];
  askBudget: AskBudget;
  /** Its token is made: from here on it and the agent that shows the token are one. */
  seated(tx: Tx, before: Run, run: Run): Promise<void>;
  prepare: RunSupervisorParts['prepare'];
  review: RunSupervisorParts['review'];
  mail: RunSupervisorParts['mail'];
  /** Its task is its own again after it waited, or this throws. */
  reclaim(tx: Tx, run: Run): Promise<void>;
  settle: EndParts['settle'];
  /** What a run asked and nobody has answered is asked no more. */
  withdraw(tx: Tx, run: Run): Promise<void>;
  ended: RunSupervisorParts['ended'];
  /** A sign of life of a run that another machine makes. */
  alive(run: Run): void;
}>;

const DAY = 86_400_000;
const outOfReach = () =>
  new HubError(
    'unavailable',
    'What was pushed of this run is with another hub, whose folder is out of reach.',
    {
      retryable: false,
    },
  );
const ENDED: RunError = { class: 'limit', text: 'it was ended while it waited for its model' };

export function createDispatch(parts: DispatchParts): Dispatch {
  const { db, acting, log, config, env, access } = parts;
  const hub = newId();
  const identity = createIdentity(config.home, config.dispatch.hops);
  const endRun = createRunEnd({ access, identity, log, settle: parts.settle });
  const agents = () => listAgents(config, env);
  const messages = createMessages({ db, identity });
  const goOn = createGoOn({ db, messages });
  const budget = createBudget({ config, agents });
  const quota = createRunQuota({ ...parts, budget, messages, agents, parked: () => waker.nudge() });
  const loseAttempt = createLoseAttempt({ access, endRun, withdraw: parts.withdraw });
  const beginAttempt = createBeginAttempt({ access, seated: parts.seated });
  /** What was pushed is part of the account. */
  async function goOnWith(run: Run, machine: string) {
    // Without it the next one begins with what is here.
    if (run.attempt > 1) await places.bringHome(run);
    return (await quota.goOn(run, machine)) ?? { run: await goOn(run, machine) };
  }
  const noteWork = (attempt: Attempt, work: Pick<Attempt, 'pushed' | 'mirror'>) =>
    db.write(systemActor, async (tx) => {
      if ((await findRun(tx, attempt.runId))?.fence === attempt.fence) await hearAttempt(tx, attempt, work);
    });
  const offered = () => withOffered(db, agents());
  async function lose({ runId, fence, runner, holder }: Attempt): Promise<void> {
    questions.forget(runId);
    const who = isRunner(holder) ? `the runner ${runner}` : 'the hub';
    const error = { class: 'crash', text: `${who} that ran it is gone` } as const;
    await settleAfter(runId, (tx) => loseAttempt(tx, runId, { fence, as: 'lost', error }));
  }
  const own = { runner: hostname(), hub };
  const places = createWorkPlaces({ db, log, home: config.home });
  const supervisor = createSupervisor({
    ...parts,
    own,
    beginAttempt,
    quota,
    goOn: (run) => goOnWith(run, thisMachine()),
    endRun,
    loseAttempt,
    free: () => void worker.look(),
    mayGoOn: async (run, what, signal) => (await parts.askBudget(run, what, signal)) === 'allow',
  });
  const channels = createChannels(db);
  const keeper = createKeeper({
    db,
    log,
    hub,
    kept: (attempts) => supervisor.keepOnly(attempts),
    lose,
    holds: (id) => gate.has(id) || supervisor.has(id),
    adopt: createAdoptRuns({
      ...parts,
      hub,
      ready: () => keeper.begin(),
      async pass(run, { spent, concurrent }) {
        const able = (await offered()).filter(({ instance }) => instance === run.instance);
        gate.pass(run, { spent, concurrent, go: (isItsTurn) => takeTurn(run, able, isItsTurn) });
      },
      end: (run, error) => endWithout(run, error),
    }),
  });
  const worker: Worker = createWorker({
    db,
    log,
    config,
    env,
    name: own.runner,
    supervisor,
    ready: () => keeper.begin(),
  });
  const presence = createHubPresence({ db, log, hub, agents: () => worker.agents() });
  const questions = createQuestions({ log, ask: parts.ask, askBudget: parts.askBudget, mail: parts.mail });
  const pool = createPool({
    db,
    hub,
    own: () => worker.own(),
    placing: createPlacing({
      db,
      log,
      hub,
      beginAttempt,
      goOn: goOnWith,
      mayBegin: async (run) => quota.mayBegin(run, await offered()),
      openWork: (run) => places.open(run),
      usedBefore: (run) => usageBefore(db, run),
      lose,
      async giveBack({ id, fence }, thrown) {
        const error = { class: 'config', text: toHubError(thrown).message } as const;
        await settleAfter(id, (tx) => endRun(tx, id, { ...NO_END, error, fence }));
      },
    }),
    telling: createReports({
      db,
      log,
      questions,
      endRun,
      loseAttempt,
      quota,
      agents: offered,
      async takeWork(run, attempt) {
        const unnoted = await places.unnoted(run, attempt);
        if (unnoted) await noteWork(attempt, unnoted);
        if (!(await places.bringHome(run))) throw outOfReach();
        return parts.review(run, false);
      },
      async ended(run) {
        questions.forget(run.id);
        await parts.ended(run);
      },
      alive: parts.alive,
      aliveMs: beatMs(config.leaseMs),
    }),
  });
  const gate = createGate({
    db,
    log,
    places: createSlots(0),
    askBudget: parts.askBudget,
    refuse: (run, text) => endWithout(run, { class: 'limit', text }),
  });

  const sender = createSender({
    db,
    acting,
    config,
    env,
    hub,
    identity,
    messages,
    projects: parts.projects,
    ready: () => keeper.begin(),
    start: (run, { agents, spent, concurrent }) =>
      gate.pass(run, { spent, concurrent, go: (isItsTurn) => takeTurn(run, agents, isItsTurn) }),
  });

  const waker = createWaker({
    db,
    log,
    hub,
    reclaim: parts.reclaim,
    async go(run, isAnybodys) {
      const agent = agents().find(({ instance }) => instance === run.instance);
      if (!agent?.callable && !isAnybodys)
        return endWithout(run, {
          class: 'config',
          text: agent?.reason ?? `There is no agent ${run.instance} any more.`,
        });
      await keeper.begin();
      const { concurrent } = projectLimits(config, run.project);
      gate.pass(run, {
        spent: undefined,
        concurrent,
        go: (isItsTurn) => takeTurn(run, agent ? [agent] : [], isItsTurn),
      });
    },
    giveUp: (run, error) =>
      endWithout(run, {
        class: 'limit',
        text: `It waited for its model, and cannot go on: ${toHubError(error).message}`,
      }),
  });

  /** What is told to hurry is ended here. */
  function takeTurn(run: Run, agents: readonly Agent[], isItsTurn: boolean): void {
    if (!isItsTurn) return supervisor.submit(run, agents);
    void worker
      .offer(run, agents)
      .catch((error: unknown) => log.error('a run could not be queued', { run: run.id, error }));
    return undefined;
  }

  /** The end of a run that no process of this hub belongs to, as long as it stands as it was seen. */
  async function endWithout({ id, fence }: Run, error: RunError): Promise<void> {
    await settleAfter(id, (tx) => endRun(tx, id, { ...NO_END, error, fence }));
  }

  async function settleAfter(id: string, end: (tx: Tx) => Promise<Run | undefined>): Promise<void> {
    const ended = await db.write(systemActor, end);
    if (ended && isOver(ended.state))
      await parts
        .ended(ended)
        .catch((error: unknown) => log.warn('after a run that was not run', { run: id, error }));
  }

  const viewOf = (q: Query, { who }: Caller): RunsView => {
    async function get(id: string): Promise<Run> {
      const run = await findRun(q, id);
      if (!run || !canSeeRun(who, run)) throw noSuchRun(id);
      return run;
    }
    return {
      get,
      list: ({ q: asked, ...filter }) =>
        listRuns(q, {
          ...filter,
          ...sightOf(who),
          ...(asked !== undefined && {
            asked: { query: readFreely(asked, { fields: RUN_FIELDS }), now: db.now() },
          }),
        }),
      async page({ after, ...filter }) {
        const seen = { ...filter, ...sightOf(who) };
        return { runs: await listRunsByChange(q, seen, after), total: await countRuns(q, seen) };
      },
      behind: (act) => newestRunBehind(q, act),
      messages: async (id) => messages.of(q, (await get(id)).id),
      attempts: async (id) => attemptsOf(q, (await get(id)).id),
      parts: async (id) => partsOf(q, (await get(id)).id),
      frames: async (id, page) => eventsAfter(q, (await get(id)).id, page),
    };
  };

  /** What waits for somebody to take it has nobody else to end it. */
  async function endQueued({ id, state, queuedAt, fence }: Run): Promise<void> {
    if (state !== 'pending' || queuedAt === null) return;
    await settleAfter(id, (tx) => endRun(tx, id, { ...NO_END, isCancelled: true, fence }));
  }

  function hurryEnd(id: string): void {
    gate.hurry(id);
    supervisor.stop(id);
  }

  return {
    agents,
    budget,
    channels,
    hub,
    pool,
    active: () => supervisor.active(),

    send: sender.send,
    at: viewOf,
    in: (tx, caller) => ({
      reply: async (request) =>
        messages.reply(tx, await viewOf(tx, caller).get(request.id), { ...request, by: caller.who }),
    }),
    get: (call, id) => acting.look(call, (q, caller) => viewOf(q, caller).get(id)),

    async cancel(call, id) {
      const run = await acting.change(call, async (tx, caller) =>
        markCancelling(tx, await viewOf(tx, caller).get(id)),
      );
      hurryEnd(id);
      await endQueued(run);
      // Whoever waits for its model has nobody who would end it.
      if (run.waitUntil !== null) await endWithout(run, ENDED);
      void keeper
        .recover()
        .catch((error: unknown) => log.warn('lost runs could not be looked for', { error }));
      return run;
    },

    async stop(id) {
      const run = await db.write(systemActor, async (tx) => {
        const found = await findRun(tx, id);
        return found && markCancelling(tx, found);
      });
      hurryEnd(id);
      if (run) await endQueued(run);
      if (run && run.waitUntil !== null) await endWithout(run, ENDED);
    },

    async wait(call, ids, { timeoutMs, signal, all = false }) {
      await acting.look(call, async (q, caller) => {
        for (const id of ids) await viewOf(q, caller).get(id);
      });
      const patience = new AbortController();
      const timer = setTimeout(() => patience.abort(), timeoutMs);
      const over = ids.map((id) =>
        db.feed.until(id, () => ifOver(id), AbortSignal.any([signal, patience.signal])),
      );
      over.forEach((each) => each.catch(() => undefined));
      try {
        return all ? await Promise.all(over) : [await Promise.race(over)];
      } catch (error) {
        if (patience.signal.aborted && !signal.aborted) return undefined;
        throw signal.aborted ? new HubError('unavailable', 'Nobody waits any more.').because(error) : error;
      } finally {
        clearTimeout(timer);
        patience.abort();
      }
    },

    async recover() {
      await keeper.recover();
      await worker.look();
    },
    waiting: () => waker.waiting(),
    async begin() {
      await keeper.recover();
      waker.begin();
      await keeper.sweepStrays();
      worker.begin();
      await presence.begin();
    },
    async tidy(tx) {
      await dropHubsBefore(tx, tx.now - DAY);
      await dropRunnersBefore(tx, tx.now - 7 * DAY);
      await dropOrphanHooks(tx);
      if (config.dispatch.keepMs !== 0) await dropTrialsBefore(tx, tx.now - config.dispatch.keepMs);
      return config.dispatch.keepMs === 0 ? 0 : dropRunsBefore(tx, tx.now - config.dispatch.keepMs);
    },
    tidyMirrors: () => places.tidy(),
    async close() {
      await waker.close();
      worker.close();
      gate.close();
      await supervisor.close();
      await presence.close();
      await keeper.close();
    },
  };

  async function markCancelling(tx: Tx, run: Run): Promise<Run> {
    const changed = await setReason(tx, run.id, { to: 'cancelling' });
    // It may have ended meanwhile.
    if (!changed) return (await findRun(tx, run.id)) ?? run;
    tx.emit({
      kind: 'run.stop',
      subject: stopSubject(run.id),
      realm: 'hub',
      ...(run.team !== null && { team: run.team }),
    });
    return changed;
  }

  async function ifOver(id: string): Promise<Run | undefined> {
    const run = await db.read((q) => findRun(q, id));
    if (!run) throw noSuchRun(id);
    return isOver(run.state) ? run : undefined;
  }
}

function sightOf(who: Principal): Pick<RunFilter, 'team' | 'of'> {
  if (who.bound.team !== undefined) return { team: who.bound.team };
  return isPerson(who) ? {} : { of: { owner: ownerOf(who), agent: who.bound.agent } };
}
