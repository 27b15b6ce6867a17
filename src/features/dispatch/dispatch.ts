// Runs of agents: sending, looking, ending, waiting. How a request becomes a run is in `start/`.
import type { Config, Environment } from '../../kernel/config.ts';
import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Log } from '../../kernel/log.ts';
import { isPerson, type Principal, systemActor } from '../../kernel/principal.ts';
import type { Acting, Call, Caller } from '../../store/acting.ts';
import type { Database, Query, Tx } from '../../store/database.ts';
import type { Access } from '../access/access.ts';
import type { Locator } from '../projects/projects.ts';
import { type Agent, listAgents } from './agents/agents.ts';
import { type Channels, createChannels } from './stream/channels.ts';
import { createIdentity, type HubIdentity } from './messages/envelopes.ts';
import { type EndParts, endRun } from './attempt/end.ts';
import { appendState, tellRun } from './stream/events.ts';
import { createGate } from './start/gate.ts';
import { createKeeper } from './attempt/keeper.ts';
import { createMessages, type MessageView, type ReplyRequest } from './messages/messages.ts';
import type { AskBudget } from './attempt/permissions.ts';
import { dropOrphanHooks } from './rows/hooks.ts';
import { dropHubsBefore } from './rows/hubs.ts';
import {
  changeReason,
  type ChangePlace,
  countRuns,
  dropRunsBefore,
  findRun,
  listRuns,
  listRunsByChange,
  type RunFilter,
} from './rows/runs.ts';
import { canSeeRun, isOver, noSuchRun, ownerOf } from './rules.ts';
import type { Run, RunError } from './run.ts';
import { createSender, type SendMore, type SendRequest } from './start/sender.ts';
import { createSlots } from './start/slots.ts';
import { createSupervisor, stopSubject, type RunSupervisorParts } from './attempt/supervisor.ts';

export type { SendMore } from './start/sender.ts';

/** What one can do with agents and their runs. */
export interface Dispatch {
  agents(): readonly Agent[];
  /** Writes the intent and starts it when there is room. Answered means on disk. */
  send(call: Call, request: SendRequest, more?: SendMore): Promise<Run>;
  get(q: Query, who: Principal, id: string): Promise<Run>;
  list(q: Query, who: Principal, filter: Omit<RunFilter, 'team' | 'of'>): Promise<Run[]>;
  /** What changed last comes first; `total` counts every page. */
  page(q: Query, who: Principal, filter: RunPage): Promise<Readonly<{ runs: Run[]; total: number }>>;
  messages(q: Query, who: Principal, id: string): Promise<MessageView[]>;
  /** What is over stays as it is. */
  cancel(tx: Tx, caller: Caller, id: string): Promise<Run>;
  /** After the transaction that cancelled it: the process is told now, not when the feed comes round. */
  nudge(id: string): void;
  /** Cancels on behalf of a caller that has gone. */
  stop(id: string): Promise<void>;
  reply(tx: Tx, caller: Caller, request: ReplyRequest): Promise<Run>;
  /** Resolves when one of them, or all, are over; `undefined` when the time is. */
  wait(
    ids: readonly string[],
    until: 'any' | 'all',
    options: WaitOptions,
  ): Promise<readonly Run[] | undefined>;
  readonly channels: Channels;
  readonly identity: HubIdentity;
  /** Board tasks of runs that are alive, with who holds them. */
  active(): readonly Run[];
  /** Ends what hubs left behind that are gone. */
  recover(): Promise<void>;
  begin(): Promise<void>;
  tidy(tx: Tx): Promise<number>;
  close(): Promise<void>;
}

type RunPage = Omit<RunFilter, 'team' | 'of'> & Readonly<{ after?: ChangePlace | undefined }>;

type WaitOptions = Readonly<{ timeoutMs: number; signal: AbortSignal }>;

export type DispatchParts = Readonly<{
  db: Database;
  acting: Acting;
  log: Log;
  config: Config;
  env: Environment;
  access: Access;
  projects: Locator;
  runAcp: RunSupervisorParts['runAcp'];
  address: RunSupervisorParts['address'];
  askBudget: AskBudget;
  seated: RunSupervisorParts['seated'];
  prepare: RunSupervisorParts['prepare'];
  review: RunSupervisorParts['review'];
  settle: EndParts['settle'];
  ended: RunSupervisorParts['ended'];
}>;

const DAY = 86_400_000;

export function createDispatch(parts: DispatchParts): Dispatch {
  const { db, acting, log, config, env, access } = parts;
  const hub = newId();
  const identity = createIdentity(config.home, config.dispatch.hops);
  const endParts: EndParts = { access, identity, log, settle: parts.settle };
  const supervisor = createSupervisor({
    ...parts,
    ...endParts,
    mayGoOn: async (run, what, signal) => (await parts.askBudget(run, what, signal)) === 'allow',
  });
  const channels = createChannels(db);
  const messages = createMessages({ db, identity });
  const keeper = createKeeper({
    db,
    log,
    hub,
    expire: (run) => endWithout(run, true, { class: 'crash', text: 'the hub that ran it is gone' }),
  });
  const gate = createGate({
    db,
    log,
    places: createSlots(0),
    askBudget: parts.askBudget,
    refuse: (run, text) => endWithout(run, false, { class: 'limit', text }),
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
      gate.pass(run, { spent, concurrent, go: () => supervisor.submit(run, agents) }),
  });

  /** The end of a run that no process of this hub belongs to. */
  async function endWithout(run: Run, isLost: boolean, error: RunError): Promise<void> {
    const end = {
      outcome: undefined,
      isCancelled: false,
      isLost,
      error,
      lastMessage: undefined,
      review: undefined,
    } as const;
    const ended = await db.write(systemActor, (tx) => endRun(tx, run.id, end, endParts));
    if (ended)
      await parts
        .ended(ended)
        .catch((failure: unknown) =>
          log.warn('after a run that was not run', { run: run.id, error: failure }),
        );
  }

  async function visible(q: Query, who: Principal, id: string): Promise<Run> {
    const run = await findRun(q, id);
    if (!run || !canSeeRun(who, run)) throw noSuchRun(id);
    return run;
  }

  return {
    agents: () => listAgents(config, env),
    channels,
    identity,
    active: () => supervisor.active(),

    send: sender.send,
    get: visible,
    list: (q, who, filter) => listRuns(q, { ...filter, ...sightOf(who) }),
    async page(q, who, { after, ...filter }) {
      const seen = { ...filter, ...sightOf(who) };
      return { runs: await listRunsByChange(q, seen, after), total: await countRuns(q, seen) };
    },

    async messages(q, who, id) {
      await visible(q, who, id);
      return messages.of(q, id);
    },

    reply: async (tx, caller, request) =>
      messages.reply(tx, caller, await visible(tx, caller.who, request.id), request),

    cancel: async (tx, caller, id) => markCancelling(tx, await visible(tx, caller.who, id)),

    async stop(id) {
      await db.write(systemActor, async (tx) => {
        const run = await findRun(tx, id);
        if (run) await markCancelling(tx, run);
      });
      gate.hurry(id);
      supervisor.stop(id);
    },

    nudge(id) {
      gate.hurry(id);
      supervisor.stop(id);
      void keeper
        .recover()
        .catch((error: unknown) => log.warn('lost runs could not be looked for', { error }));
    },

    async wait(ids, until, { timeoutMs, signal }) {
      const patience = new AbortController();
      const timer = setTimeout(() => patience.abort(), timeoutMs);
      const over = ids.map((id) =>
        db.feed.until(id, () => ifOver(id), AbortSignal.any([signal, patience.signal])),
      );
      over.forEach((each) => each.catch(() => undefined));
      try {
        return until === 'any' ? [await Promise.race(over)] : await Promise.all(over);
      } catch (error) {
        if (patience.signal.aborted && !signal.aborted) return undefined;
        throw signal.aborted ? new HubError('unavailable', 'Nobody waits any more.', {}, error) : error;
      } finally {
        clearTimeout(timer);
        patience.abort();
      }
    },

    async recover() {
      await keeper.recover();
    },
    async begin() {
      await keeper.recover();
      await keeper.sweepStrays();
    },
    async tidy(tx) {
      await dropHubsBefore(tx, tx.now - DAY);
      await dropOrphanHooks(tx);
      return config.dispatch.keepMs === 0 ? 0 : dropRunsBefore(tx, tx.now - config.dispatch.keepMs);
    },
    async close() {
      gate.close();
      await supervisor.close();
      await keeper.close();
    },
  };

  async function markCancelling(tx: Tx, run: Run): Promise<Run> {
    const changed = await changeReason(tx, run.id, 'cancelling');
    // It may have ended meanwhile.
    if (!changed) return (await findRun(tx, run.id)) ?? run;
    await appendState(tx, changed, 'task');
    tellRun(tx, changed, 'run.changed', { reason: 'cancelling' });
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
