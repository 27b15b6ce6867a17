// Runs and the limits of their models: what follows when one is met, and how a run that waits goes on. A run that waits is a row and nothing
// else; whichever hub on its machine sees that its time has come takes it, by one conditional update.
import type { Config } from '../../../kernel/config.ts';
import { HubError } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import { systemActor } from '../../../kernel/principal.ts';
import { thisMachine } from '../../../kernel/process/table.ts';
import { redact } from '../../../kernel/redact.ts';
import { chainOf } from '../../../kernel/quota-settings.ts';
import { hubCaller } from '../../../store/calls.ts';
import type { Database, Tx } from '../../../store/database.ts';
import type { Access } from '../../access/access.ts';
import type { Agent } from '../agents/agents.ts';
import { isNamed } from '../agents/families.ts';
import type { Active } from '../attempt/active.ts';
import type { End } from '../attempt/end.ts';
import { addUsage, type Usage } from '../frames/common.ts';
import type { RunMessages } from '../messages/messages.ts';
import { attemptsOf, endAttempt } from '../rows/attempts.ts';
import { insertPart, partsOf } from '../rows/parts.ts';
import { changeRun, findRun, lockRun, type RunChange } from '../rows/runs.ts';
import { isOver } from '../rules.ts';
import { headline, type Run, type RunError } from '../run.ts';
import { appendEvents, appendState, noticeEvent, tellRun } from '../stream/events.ts';
import { accountText, createAccount, goOnText } from '../attempt/account.ts';
import type { AgentBudgets } from './budget.ts';
import { decideNext, type Next } from './decide.ts';
import type { Limit } from './limit.ts';
import type { QuotaState, WaitKind } from './state.ts';

export interface RunQuota {
  /** Before an agent is started: who starts, or undefined when the run waits from now on. */
  before(active: Active, agents: readonly Agent[]): Promise<readonly Agent[] | undefined>;
  /** After it ended: who goes on. Undefined in `next`: nobody; of one that waits `isParked`. */
  after(active: Active, end: End): Promise<AfterPart>;
  /** The same on a runner, where nobody waits for an answer: a run that is not over rests, if only until somebody takes it. */
  afterElsewhere(run: Run, part: PartElsewhere): Promise<AfterPart>;
  /** Before a runner has it: false when it waits, or is for another agent from now on. */
  mayBegin(run: Run, agents: readonly Agent[]): Promise<boolean>;
  /** What its next part is told on this machine, and which session it goes on with; undefined where none went before it. */
  goOn(run: Run, machine: string): Promise<GoingOn | undefined>;
  /** All parts together, before the end is written. */
  whole(active: Active, end: End): Promise<End>;
  /** The same in the transaction that writes the end. */
  wholeIn(tx: Tx, run: Run, part: Readonly<{ end: End; startedAt: number }>): Promise<End>;
}

type PartElsewhere = Readonly<{
  end: End;
  limit: Limit;
  hasSpoken: boolean;
  /** The session that it began with. */
  session: string | null;
  startedAt: number;
  /** Whoever can be asked to go on, wherever it is. */
  agents: readonly Agent[];
}>;

export type AfterPart = Readonly<{ next?: readonly Agent[] | undefined; isParked?: true; end: End }>;
export type GoingOn = Readonly<{
  run: Run;
  /** What it is told where its session cannot be opened again. */
  startOver?: string;
  /** What its earlier parts used. */
  used?: Usage | undefined;
}>;

export type QuotaParts = Readonly<{
  db: Database;
  log: Log;
  config: Config;
  access: Access;
  budget: AgentBudgets;
  messages: Pick<RunMessages, 'of'>;
  agents(): readonly Agent[];
  /** The claim of its task goes from one credential of the run to another. */
  seated(tx: Tx, before: Run, run: Run): Promise<void>;
  /** Something waits: somebody has to look when. */
  parked(): void;
}>;

export function createRunQuota(parts: QuotaParts): RunQuota {
  const { db, config, access, budget } = parts;
  const accountOf = createAccount(parts);
  const rules = (agent: Agent) => ({
    parks: config.dispatch.parks,
    backoffMs: config.dispatch.backoffMs,
    // The clock that its process looks at, where config.yaml gives it another.
    zone: agent.settings.env['TZ'],
  });
  const among = (agents: readonly Agent[], name: string) => agents.find(({ instance }) => instance === name);
  const agentOf = (name: string) => among(parts.agents(), name);

  function nextFor(run: Run, agent: Agent, { limit, agents = parts.agents() }: Met): Next {
    const state = run.quota ?? fresh(run);
    const chain = chainOf(config.agents, state.first).filter((name) => among(agents, name)?.callable);
    return decideNext({ limit, instance: agent.instance, chain, state, now: db.now() }, rules(agent));
  }

  type Met = Readonly<{ limit: Limit; agents?: readonly Agent[] | undefined }>;
  type Step = Met &
    Readonly<{
      kind: WaitKind;
      /** No process here goes on with it. */
      isElsewhere?: true;
      next: Exclude<Next, { kind: 'over' }>;
      /** What was done until then; absent when nothing was started. */
      done?: Readonly<{ end: End; startedAt: number; hasSpoken: boolean; session: string | null }>;
    }>;

  /** One transaction: the part, its token, the claim of its task, and where the run stands now. */
  async function step(
    active: Pick<Active, 'run'>,
    { limit, kind, next, done, isElsewhere, agents = parts.agents() }: Step,
  ): Promise<Run | undefined> {
    const agent = among(agents, next.to);
    if (!agent) return undefined;
    const text = redact(limit.text).slice(0, 2_000);
    const changed = await db.write(systemActor, async (tx) => {
      const run = await lockRun(tx, active.run.id);
      const isOurs = run?.fence === active.run.fence && !isOver(run.state) && run.reason !== 'cancelling';
      if (!run || !isOurs) return undefined;
      if (done) await insertPart(tx, await partOf(tx, run, { ...done, ended: kind, text }));
      const rests = next.kind === 'park' ? next.until : isElsewhere && done ? tx.now : undefined;
      const isParked = rests !== undefined;
      const host = isElsewhere ? null : thisMachine();
      const state = stateAfter(run, { next, done, text, kind, now: tx.now, host, isParked });
      const change: RunChange = {
        ...whoGoesOn(run, agent, { state, done }),
        quota: state,
        ...(isParked && {
          state: 'active',
          reason: 'waiting_quota',
          waitUntil: rests,
          tokenId: null,
          // Whatever its attempt still says is refused.
          fence: run.fence + 1,
          runner: null,
          queuedAt: null,
        }),
        ...(done && { usage: await totalOf(tx, run.id), lastMessage: headline(text) }),
      };
      if (isParked && run.tokenId !== null) await access.in(tx, hubCaller).revokeToken(run.tokenId);
      if (isParked) await endAttempt(tx, run.id, 'parked');
      const now = await changeRun(tx, run.id, {
        ...change,
        ...(change.usage && { costUsd: change.usage.costUsd }),
      });
      if (!now) return undefined;
      if (isParked) await parts.seated(tx, run, now);
      await appendEvents(tx, now, [noticeEvent(now, sentenceOf(run.instance, text, next))]);
      await appendState(tx, now, 'task');
      tellRun(tx, now, {
        kind: 'run.changed',
        data: isParked ? { reason: 'waiting_quota' } : { instance: next.to },
      });
      return now;
    });
    if (changed && changed.waitUntil !== null) parts.parked();
    return changed;
  }

  return {
    async before(active, agents) {
      let able = agents;
      for (;;) {
        const [first] = able;
        const spent = await db.read((q) => budget.spent(q, first!, db.now()));
        if (!spent) return able;
        if (spent.resetsAt === undefined) throw noBudget(first!.instance, spent.text);
        const next = nextFor(active.run, first!, { limit: spent });
        if (next.kind === 'over') throw overSpent(spent.text, next.why);
        const run = await step(active, { limit: spent, kind: 'budget', next });
        // Cancelled meanwhile: its start says so.
        if (!run) return able;
        if (next.kind === 'park') return undefined;
        active.run = { ...run, prompt: active.run.prompt };
        able = [agentOf(next.to)!];
      }
    },

    async after(active, end) {
      const { outcome } = end;
      const limit = outcome?.limit;
      const agent = agentOf(active.run.instance);
      if (!outcome || !limit || !agent || end.error !== null || outcome.isDone) return { end };
      const run = await db.read((q) => findRun(q, active.run.id));
      if (!run || isOver(run.state)) return { end };
      const next = nextFor(run, agent, { limit });
      if (next.kind === 'over') return { end: next.why === undefined ? end : withReason(end, next.why) };
      const { startedAt = run.startedAt ?? db.now(), hasSpoken = false } = active;
      const done = { end, startedAt, hasSpoken, session: active.run.sessionId };
      const moved = await step(active, { limit, kind: limit.kind, next, done });
      if (!moved) return { end };
      // Whatever comes next, this part is written down.
      active.startedAt = undefined;
      active.child = undefined;
      if (next.kind === 'park') return { isParked: true, end };
      active.run = { ...moved, prompt: active.run.prompt };
      return { next: [agentOf(next.to)!], end };
    },

    async afterElsewhere(run, { end, limit, hasSpoken, session, startedAt, agents }) {
      const agent = among(agents, run.instance);
      if (!agent || end.error !== null || end.outcome?.isDone) return { end };
      const next = nextFor(run, agent, { limit, agents });
      if (next.kind === 'over') return { end: next.why === undefined ? end : withReason(end, next.why) };
      const done = { end, startedAt, hasSpoken, session };
      const moved = await step({ run }, { limit, kind: limit.kind, next, done, agents, isElsewhere: true });
      return moved ? { isParked: true, end } : { end };
    },

    async mayBegin(run, agents) {
      const agent = among(agents, run.instance);
      const spent = agent && (await db.read((q) => budget.spent(q, agent, db.now())));
      if (!spent) return true;
      if (spent.resetsAt === undefined) throw noBudget(agent.instance, spent.text);
      const next = nextFor(run, agent, { limit: spent, agents });
      if (next.kind === 'over') throw overSpent(spent.text, next.why);
      await step({ run }, { limit: spent, kind: 'budget', next, agents, isElsewhere: true });
      return false;
    },

    async goOn(given, machine) {
      const state = given.quota;
      if (state?.attempt !== given.attempt) return undefined;
      const [before, attempts] = await db.read(async (q) => [
        await partsOf(q, given.id),
        await attemptsOf(q, given.id),
      ]);
      const used = sumOf(before.map(({ usage }) => usage));
      if (state.goOn === 'anew') return { run: given, used };
      const account = accountText(await accountOf(given), 'limit');
      // A session is on the machine that it was begun on.
      const isHere = attempts.findLast(({ n }) => n < given.attempt)?.machine === machine;
      if (state.goOn === 'session' && isHere)
        return { run: { ...given, prompt: goOnText('limit') }, startOver: account, used };
      return { run: { ...given, sessionId: null, prompt: account }, used };
    },

    async whole(active, end) {
      if (!active.run.quota) return end;
      const { run, startedAt } = active;
      return db.write(systemActor, (tx) => wholeIn(tx, run, { end, startedAt }));
    },
    wholeIn,
  };
}

type LastPart = Readonly<{
  end: End;
  /** Undefined: nothing was begun since. */ startedAt: number | undefined;
}>;

async function wholeIn(tx: Tx, { id }: Run, { end, startedAt }: LastPart): Promise<End> {
  const run = await findRun(tx, id);
  const before = await partsOf(tx, id);
  if (!run || before.length === 0) return end;
  if (startedAt !== undefined)
    await insertPart(tx, await partOf(tx, run, { end, startedAt, ended: endedAs(end), text: null }));
  const usage = await totalOf(tx, id);
  return usage && end.outcome ? { ...end, outcome: { ...end.outcome, usage } } : end;
}

function endedAs({ outcome, isCancelled, isLost }: End): string {
  if (outcome?.isDone === true) return 'done';
  return isCancelled ? 'cancelled' : isLost ? 'lost' : 'failed';
}

function fresh({ instance, model }: Run): QuotaState {
  return {
    first: instance,
    model,
    parks: 0,
    inRow: 0,
    met: {},
    goOn: 'anew',
    attempt: 0,
    hasSpoken: false,
    waits: null,
  };
}

type Done = Readonly<{ hasSpoken: boolean; session: string | null; end: End }> | undefined;
type Moved = Readonly<{
  next: Exclude<Next, { kind: 'over' }>;
  done: Done;
  text: string;
  kind: WaitKind;
  now: number;
  host: string | null;
  isParked: boolean;
}>;

function stateAfter(run: Run, { next, done, text, kind, now, host, isParked }: Moved): QuotaState {
  const before = run.quota ?? fresh(run);
  const waited = next.kind === 'park' ? 1 : 0;
  const hasSpoken = before.hasSpoken || done?.hasSpoken === true;
  return {
    ...before,
    met: next.met,
    hasSpoken,
    parks: before.parks + waited,
    inRow: (done?.hasSpoken === true ? 0 : before.inRow) + waited,
    goOn: goOnAfter(run, before, { next, done, hasSpoken }),
    attempt: run.attempt + (isParked ? 1 : 0),
    waits: isParked ? { kind, text, since: now, host } : null,
  };
}

/** Who said nothing begins as before; who did goes on in its own session; everybody else is told. */
function goOnAfter(
  { instance, family, sessionId }: Run,
  { goOn }: QuotaState,
  { next, done, hasSpoken }: Pick<Moved, 'next' | 'done'> & Readonly<{ hasSpoken: boolean }>,
): QuotaState['goOn'] {
  if (next.to !== instance) return hasSpoken ? 'account' : 'anew';
  if (done?.hasSpoken !== true) return goOn;
  const canResume =
    (isNamed(family) || family === 'acp') && (done.end.outcome?.sessionId ?? sessionId) !== null;
  return canResume ? 'session' : 'account';
}

/** Whoever goes on: itself in the session that its part had, or another in a new one. */
function whoGoesOn(
  run: Run,
  { instance, family, lane, settings }: Agent,
  { state, done }: Readonly<{ state: QuotaState; done: Done }>,
): RunChange {
  const own = done?.end.outcome?.sessionId ?? run.sessionId;
  const begun = done ? done.session : run.sessionId;
  return {
    instance,
    family,
    lane,
    model: instance === state.first ? state.model : null,
    sessionId:
      instance !== run.instance
        ? null
        : state.goOn === 'session'
          ? own
          : state.goOn === 'anew'
            ? begun
            : null,
    ...(instance !== run.instance && {
      limits: { ...settings.limits, dollars: run.limits.dollars, turns: run.limits.turns },
    }),
  };
}

type PartEnd = Readonly<{ end: End; startedAt: number; ended: string; text: string | null }>;

async function partOf(tx: Tx, run: Run, { end: { outcome }, startedAt, ended, text }: PartEnd) {
  const usage = outcome?.usage ?? null;
  return {
    runId: run.id,
    n: (await partsOf(tx, run.id)).length + 1,
    instance: run.instance,
    family: run.family,
    sessionId: outcome?.sessionId ?? run.sessionId,
    ended,
    text,
    usage,
    costUsd: usage?.costUsd ?? null,
    startedAt,
    endedAt: tx.now,
  };
}

async function totalOf(tx: Tx, id: string): Promise<Usage | null> {
  return sumOf((await partsOf(tx, id)).map(({ usage }) => usage)) ?? null;
}

function sumOf(all: readonly (Usage | null)[]): Usage | undefined {
  return all.reduce<Usage | undefined>(
    (sum, each) => (each ? (sum ? addUsage(sum, each) : each) : sum),
    undefined,
  );
}

function withReason(end: End, why: string): End {
  const { outcome } = end;
  if (!outcome?.error) return end;
  const error: RunError = { ...outcome.error, text: `${outcome.error.text} (${why})` };
  return { ...end, outcome: { ...outcome, error } };
}

function sentenceOf(instance: string, text: string, next: Exclude<Next, { kind: 'over' }>): string {
  const said = `${instance}: ${text}`;
  if (next.kind === 'switch') return `${said} ${next.to} goes on.`;
  return `${said} The run waits until ${new Date(next.until).toISOString()}.`;
}

function overSpent(text: string, why = 'It does not wait.'): HubError {
  return new HubError('limited', `${text} ${why}`, { retryable: false });
}

function noBudget(instance: string, text: string): HubError {
  return new HubError('limited', `${text} A budget of 0 never opens.`, {
    retryable: false,
    hint: `Raise agents.${instance}.budget in config.yaml.`,
  });
}
