// Sending work to agents: what one can ask for, and how it becomes a run.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunLimits } from '../../kernel/agent-settings.ts';
import type { Config, Environment } from '../../kernel/config.ts';
import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Log } from '../../kernel/log.ts';
import { type Principal, systemActor } from '../../kernel/principal.ts';
import { type Acting, type Call, type Caller } from '../../store/acting.ts';
import type { Database, Query, Tx } from '../../store/database.ts';
import type { Access } from '../access/access.ts';
import { type Agent, listAgents } from './agents/agents.ts';
import { chooseAgents } from './agents/choosing.ts';
import { MOST_IN_ARGUMENT, takesPromptAsArgument } from './agents/families.ts';
import { type Channels, createChannels } from './channels.ts';
import { createIdentity, type RunEnvelope, type HubIdentity } from './envelopes.ts';
import { type EndParts, endRun } from './ending.ts';
import { appendEvents, appendState, tellRun } from './events.ts';
import { createKeeper } from './keeper.ts';
import { placeRun } from './placing.ts';
import { dropHubsBefore } from './rows/hubs.ts';
import { countMessages, insertMessage, messagesOf } from './rows/messages.ts';
import {
  changeReason,
  dropRunsBefore,
  findRun,
  insertRun,
  listRuns,
  openRunOfAgent,
  type RunFilter,
} from './rows/runs.ts';
import { canSeeRun, isOver, isPerson, noSuchRun, ownerOf, refuseDeep, refuseOptions } from './rules.ts';
import type { Lane, Run, Worktree } from './run.ts';
import { createSlots } from './slots.ts';
import { createSupervisor, type RunAcp, stopSubject, type RunSupervisorParts } from './supervisor.ts';

export type SendRequest = Readonly<{
  instance?: string | undefined;
  tag?: string | undefined;
  prompt: string;
  opts?: SendOptions | undefined;
}>;

type SendOptions = Readonly<{
  cwd?: string | undefined;
  project?: string | undefined;
  model?: string | undefined;
  session_id?: string | undefined;
  [name: string]: unknown;
}>;

/** What board work and resuming add to a send. */
export type SendMore = Readonly<{
  boardTask?: string;
  worktree?: Worktree;
  contextId?: string;
  resumes?: string;
  /** The team of what it works on. */
  team?: string | null;
  cwd?: string;
  /** In the transaction that makes the run: claims its task, for instance. */
  alongside?(tx: Tx, run: Run): Promise<void>;
}>;

type MessageView = Readonly<{ envelope: RunEnvelope | undefined; verified: boolean }>;

/** What one can do with agents and their runs. */
export interface Dispatch {
  agents(): readonly Agent[];
  /** Writes the intent and starts it when there is room. Answered means on disk. */
  send(call: Call, request: SendRequest, more?: SendMore): Promise<Run>;
  get(q: Query, who: Principal, id: string): Promise<Run>;
  list(q: Query, who: Principal, filter: Omit<RunFilter, 'team' | 'of'>): Promise<Run[]>;
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

type ReplyRequest = Readonly<{
  id: string;
  kind: 'progress' | 'result' | 'clarification' | 'error';
  body: string;
}>;
type WaitOptions = Readonly<{ timeoutMs: number; signal: AbortSignal }>;

export type DispatchParts = Readonly<{
  db: Database;
  acting: Acting;
  log: Log;
  config: Config;
  env: Environment;
  access: Access;
  runAcp: RunAcp;
  address: RunSupervisorParts['address'];
  mayGoOn: RunSupervisorParts['mayGoOn'];
  seated: RunSupervisorParts['seated'];
  prepare: RunSupervisorParts['prepare'];
  review: RunSupervisorParts['review'];
  settle: EndParts['settle'];
  ended: RunSupervisorParts['ended'];
}>;

const MOST_PROMPT = 1024 * 1024;
const MOST_MESSAGES = 1_000;
const DAY = 86_400_000;

export function createDispatch(parts: DispatchParts): Dispatch {
  const { db, acting, log, config, env, access } = parts;
  const hub = newId();
  const identity = createIdentity(config.home, config.dispatch.hops);
  const endParts: EndParts = { access, identity, log, settle: parts.settle };
  const supervisor = createSupervisor({ ...parts, ...endParts });
  const channels = createChannels(db);
  const rates = createSlots(0);
  const turns = new Map<string, number>();
  const keeper = createKeeper({ db, log, hub, expire });

  async function expire(run: Run): Promise<void> {
    const end = {
      outcome: undefined,
      isCancelled: false,
      isLost: true,
      error: { class: 'crash', text: 'the hub that ran it is gone' },
      lastMessage: undefined,
      review: undefined,
    } as const;
    const ended = await db.write(systemActor, (tx) => endRun(tx, run.id, end, endParts));
    if (ended)
      await parts
        .ended(ended)
        .catch((error: unknown) => log.warn('after a lost run', { run: run.id, error }));
  }

  function turn(family: string): number {
    const next = turns.get(family) ?? 0;
    turns.set(family, next + 1);
    return next;
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
    active: () => [...supervisor.active.values()],

    async send(call, request, more = {}) {
      const { who } = call;
      const { prompt, opts = {} } = request;
      refuseOptions(opts);
      requirePrompt(prompt);
      const agents = chooseAgents(
        listAgents(config, env),
        { instance: request.instance, tag: request.tag },
        config.dispatch,
        turn,
      );
      const first = agents[0]!;
      refuseLongArgument(first, prompt);
      refuseSpent(first.instance, first.settings.limits);
      const bound = who.bound.agent;
      const parent = bound === undefined ? undefined : await db.read((q) => openRunOfAgent(q, bound));
      const hops = parent ? parent.hops + 1 : 0;
      refuseDeep(hops, config.dispatch.hops);
      rates.count(first.instance, first.settings.limits.rate);
      const id = newId();
      const scratch = join(config.home, 'runs', id, 'work');
      const cwd =
        more.worktree?.path ??
        more.cwd ??
        placeRun(config, { who, agent: first, parent, wanted: opts.cwd, project: opts.project, scratch });
      if (cwd === scratch) mkdirSync(scratch, { recursive: true, mode: 0o700 });
      await keeper.begin();
      const made = await acting.change(call, async (tx, caller) => {
        const run: Run = {
          ...EMPTY,
          id,
          instance: first.instance,
          family: first.family,
          lane: first.lane satisfies Lane,
          agent: `${first.instance}-${id.slice(-6)}`,
          owner: ownerOf(caller.who),
          team: who.bound.team ?? more.team ?? who.default?.team ?? parent?.team ?? null,
          cwd,
          prompt,
          model: opts.model ?? null,
          sessionId: opts.session_id ?? null,
          parent: parent?.id ?? null,
          hops,
          hub,
          contextId: more.contextId ?? null,
          boardTask: more.boardTask ?? null,
          resumes: more.resumes ?? null,
          worktree: more.worktree ?? null,
          limits: first.settings.limits,
          createdAt: tx.now,
        };
        await insertRun(tx, run);
        await insertMessage(
          tx,
          id,
          'prompt',
          identity.seal({
            runId: id,
            kind: 'prompt',
            text: prompt,
            from: run.owner,
            to: run.agent,
            hops,
            at: tx.now,
          }),
        );
        await appendState(tx, run, 'task');
        tellRun(tx, run, 'run.created');
        await more.alongside?.(tx, run);
        return { id };
      });
      const run = (await db.read((q) => findRun(q, made.id)))!;
      // Another id means that this very request was made before: its run is already on its way.
      if (made.id === id) supervisor.submit(run, agents);
      return run;
    },

    get: visible,
    list: (q, who, filter) => listRuns(q, { ...filter, ...sightOf(who) }),

    async messages(q, who, id) {
      await visible(q, who, id);
      return (await messagesOf(q, id, MOST_MESSAGES)).map(({ envelope, signature }) => {
        const opened = identity.open(envelope, signature);
        return { envelope: opened, verified: opened !== undefined };
      });
    },

    cancel: async (tx, caller, id) => markCancelling(tx, await visible(tx, caller.who, id)),

    async stop(id) {
      await db.write(systemActor, async (tx) => {
        const run = await findRun(tx, id);
        if (run) await markCancelling(tx, run);
      });
      supervisor.stop(id);
    },

    nudge(id) {
      supervisor.stop(id);
      void keeper
        .recover()
        .catch((error: unknown) => log.warn('lost runs could not be looked for', { error }));
    },

    async reply(tx, caller, { id, kind, body }) {
      const run = await visible(tx, caller.who, id);
      if (isOver(run.state))
        throw new HubError('conflict', `The run is ${run.state}; nobody listens any more.`, {
          state: run.state,
        });
      if ((await countMessages(tx, id)) >= MOST_MESSAGES)
        throw new HubError('limited', `A run takes at most ${MOST_MESSAGES} messages.`);
      const isOwn = caller.who.bound.agent === run.agent;
      const from = isOwn ? run.agent : ownerOf(caller.who);
      const to = isOwn ? run.owner : run.agent;
      const sealed = identity.seal({
        runId: id,
        kind: kind === 'progress' ? 'reply' : kind,
        text: body,
        from,
        to,
        hops: run.hops,
        at: tx.now,
      });
      await insertMessage(tx, id, kind === 'progress' ? 'reply' : kind, sealed);
      const data = {
        task_id: id,
        line: body,
        kind: 'stdout',
        ts: new Date(tx.now).toISOString(),
        type: 'text',
        from,
        reply: kind,
      };
      await appendEvents(tx, run, [{ kind: 'frame', data: JSON.stringify(data) }]);
      const reason =
        isOwn && kind === 'clarification'
          ? 'waiting_input'
          : run.reason === 'waiting_input' && !isOwn
            ? 'running'
            : undefined;
      const changed = reason === undefined ? undefined : await changeReason(tx, id, reason);
      if (changed) await appendState(tx, changed, 'task');
      if (changed && reason === 'waiting_input') tellRun(tx, changed, 'run.changed', { reason });
      return changed ?? run;
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
      return config.dispatch.keepMs === 0 ? 0 : dropRunsBefore(tx, tx.now - config.dispatch.keepMs);
    },
    async close() {
      await supervisor.close();
      await keeper.close();
    },
  };

  async function markCancelling(tx: Tx, run: Run): Promise<Run> {
    const changed = await changeReason(tx, run.id, 'cancelling');
    if (!changed) return run;
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

const EMPTY = {
  state: 'pending',
  reason: null,
  tokenId: null,
  nextEvent: 1,
  lastMessage: null,
  result: null,
  error: null,
  usage: null,
  costUsd: null,
  exitCode: null,
  exitSignal: null,
  startedAt: null,
  closedAt: null,
} as const;

function sightOf(who: Principal): Pick<RunFilter, 'team' | 'of'> {
  if (who.bound.team !== undefined) return { team: who.bound.team };
  return isPerson(who) ? {} : { of: { owner: ownerOf(who), agent: who.bound.agent } };
}

function requirePrompt(prompt: string): void {
  if (prompt.trim() === '')
    throw new HubError('invalid', 'The prompt is empty.', { hint: 'Say what is to be done.' });
  if (Buffer.byteLength(prompt) <= MOST_PROMPT) return;
  throw new HubError('too_large', `A prompt has at most ${MOST_PROMPT} bytes.`, {
    hint: 'Put the rest into a file and name it.',
  });
}

function refuseLongArgument({ instance, settings }: Agent, prompt: string): void {
  if (!takesPromptAsArgument(settings) || Buffer.byteLength(prompt) <= MOST_IN_ARGUMENT) return;
  throw new HubError(
    'too_large',
    `${instance} takes its prompt as an argument, which has room for ${MOST_IN_ARGUMENT} bytes.`,
    {
      hint: 'Leave {prompt} out of its command in config.yaml: then the prompt goes to its standard input.',
    },
  );
}

function refuseSpent(instance: string, { dollars, turns, minutes }: RunLimits): void {
  if (dollars !== 0 && turns !== 0 && minutes !== 0) return;
  throw new HubError('limited', `${instance} has a budget of 0: nothing is started.`, {
    retryable: false,
    hint: 'Raise limits.minutes, limits.dollars or limits.turns of the agent in config.yaml.',
  });
}
