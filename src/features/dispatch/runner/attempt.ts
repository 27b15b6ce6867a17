// One attempt on this machine, with the lanes and the launcher of a hub: what it says is spooled, what it asks goes to the hub.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config, Environment } from '../../../kernel/config.ts';
import { HubError, toHubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Log } from '../../../kernel/log.ts';
import { type Agent, listAgents } from '../agents/agents.ts';
import type { Active, Stop } from '../attempt/active.ts';
import { watchLimits } from '../attempt/limits.ts';
import { type Desk, type LaneDone, executeRun } from '../lanes/run-agent.ts';
import type { PlacedRun, Command, WireAsk, WireEnd, WireFrame } from '../pool/wire.ts';
import { EMPTY_RUN, type Run } from '../run.ts';
import type { NewRunEvent } from '../stream/events.ts';
import { createRunWriter } from '../stream/run-writer.ts';
import { type RunnerTree, checkOut } from './checkout.ts';
import { type At, HubAway, type RunnerLink } from './link.ts';
import { openSpool } from './spool.ts';

export type RunnerGround = Readonly<{
  config: Config;
  env: Environment;
  log: Log;
  link: RunnerLink;
  /** Its own folder. */
  home: string;
  /** Folders of projects that are here already. */
  projects: Readonly<Record<string, string>>;
}>;

const BEAT_WAIT_MS = 15_000;
const SAVE_EVERY_MS = 10_000;
const RETRY_MS = [100, 300, 1_000, 2_000, 5_000];

function spoolOf(home: string, { run, attempt }: Pick<At, 'run' | 'attempt'>): string {
  return join(home, 'spool', `${run}.${attempt}.jsonl`);
}

/** Resolves when nothing of it is left. `leaving`: this runner stops; the attempt is handed over. */
export async function makeAttempt(
  ground: RunnerGround,
  claim: PlacedRun,
  leaving: AbortSignal,
): Promise<void> {
  const { config, env, log, link, home } = ground;
  const at: At = { run: claim.run, attempt: claim.attempt, fence: claim.fence };
  const folder = join(home, 'work', `${at.run}.${at.attempt}`);
  const work = join(folder, 'work');
  const run = runOf(claim, work);
  const entry: Active = { run, stopping: new AbortController(), child: undefined };
  const stop = (why: Stop) => entry.stopping.abort(why);
  const over = new AbortController();
  const leave = () => stop({ kind: 'shutdown' });
  leaving.addEventListener('abort', leave, { once: true });
  if (leaving.aborted) leave();
  await mkdir(work, { recursive: true, mode: 0o700 });
  const ahead = Date.parse(claim.now) - Date.now();
  const spool = await openSpool({
    file: spoolOf(home, at),
    at,
    link,
    hold: (isHeld) => entry.child?.hold(isHeld),
    refused: () => stop({ kind: 'taken' }),
  });
  const keep = (frames: readonly WireFrame[]) =>
    spool.add(frames).catch((error: NodeJS.ErrnoException) => {
      log.error('what a run said could not be kept', { run: run.id, error });
      stop({ kind: 'limit', text: `the runner could not keep what it said (${error.code ?? 'error'})` });
    });
  const hubTime = () => new Date(Date.now() + ahead).toISOString();
  const tell = (kind: WireFrame['kind'], line: string) => keep([{ kind, line, ts: hubTime() }]);
  const questions = createHubQuestions();
  const beating = beat({ link, at, questions, log, stop }, over.signal);
  const writer = createRunWriter({
    log,
    run,
    store: (batch) => keep(batch.map((event) => frameOf(event, ahead))),
    secrets: [claim.token, link.token],
    hold: (isHeld) => entry.child?.hold(isHeld),
  });
  const mayGoOn = async (what: string) => {
    entry.child?.tree.signal('SIGSTOP');
    await tell('phase', 'waiting_approval');
    const { decision } = await questions.ask({ kind: 'budget', what }, entry.stopping.signal);
    entry.child?.tree.signal('SIGCONT');
    await tell('phase', 'running');
    return decision === 'allow';
  };
  const limits = watchLimits(entry, { writer, spending: NO_SPENDING, log }, mayGoOn);
  let lastUsage = '';
  const desk: Desk = {
    writer,
    setReason: (to) => tell('phase', to),
    session: (id) => tell('session', id),
    heard: limits.heard,
    spent(usage) {
      limits.spent(usage);
      const said = JSON.stringify({ ...usage, basis: 'lower_bound' });
      if (said !== lastUsage) void tell('usage', (lastUsage = said));
    },
    news: async () => (await questions.ask({ kind: 'news' }, entry.stopping.signal)).text,
    async runAcp(lane, more) {
      const { runAcp } = await import('../lanes/acp.ts');
      return runAcp(lane, more, async ({ mode }, { toolCall, signal }) => {
        if (mode === 'full') return { decision: 'allow' };
        const { decision = 'void', text } = await questions.ask(
          { kind: 'permission', call: toolCall },
          signal,
        );
        return { decision, note: text };
      });
    },
  };

  let tree: RunnerTree | undefined;
  let saving: NodeJS.Timeout | undefined;
  let end: Omit<WireEnd, 'fence'>;
  const save = (options?: Readonly<{ rest?: string }>) =>
    tree?.save(options).catch((error: unknown) => {
      log.warn('the work of a run was not pushed', { run: run.id, error });
      return error;
    });
  try {
    if (claim.git) {
      const known = run.project === null ? undefined : ground.projects[run.project];
      tree = await checkOut({ link, git: claim.git, caches: join(home, 'git'), work, known });
      saving = setInterval(() => void save(), SAVE_EVERY_MS);
    }
    const agent = agentFor(config, env, run.instance);
    entry.run = { ...run, family: agent.family, lane: agent.lane };
    const means = { env, address: link.url, token: claim.token };
    const done = await executeRun(entry, desk, { agent, means, folder, before: undefined });
    end = endOf(done, stopOf(entry));
    const unsaved = await save(
      end.state === 'done' || end.state === 'handed_over' ? { rest: run.agent } : {},
    );
    if (unsaved !== undefined && end.state === 'done') end = { ...end, ...failure(unsaved) };
  } catch (thrown) {
    const why = stopOf(entry);
    end = why ? endOf(undefined, why) : failure(thrown);
  } finally {
    clearInterval(saving);
    limits.end();
    leaving.removeEventListener('abort', leave);
  }
  await writer.close();
  await spool.drained();
  if (stopOf(entry)?.kind !== 'taken') await tellEnd(link, at, end);
  over.abort();
  await beating;
  await spool.drop();
  await rm(folder, { recursive: true, force: true });
}

const NO_SPENDING = { spent: async () => undefined, raise: async () => undefined };

function stopOf({ stopping }: Active): Stop | undefined {
  return stopping.signal.aborted ? (stopping.signal.reason as Stop) : undefined;
}

/** Keys, flags and limits of the program are this machine's own. */
function agentFor(config: Config, env: Environment, instance: string): Agent {
  const agent = listAgents(config, env).find((each) => each.instance === instance && each.callable);
  if (agent) return agent;
  throw new HubError('unavailable', `${instance} cannot be called on this runner any more.`, {
    retryable: false,
  });
}

function endOf(done: LaneDone | undefined, why: Stop | undefined): Omit<WireEnd, 'fence'> {
  const outcome = done && outcomeOf(done);
  if (why?.kind === 'cancel') return { state: 'cancelled', ...(outcome && { outcome }) };
  if (why?.kind === 'shutdown')
    return { state: 'handed_over', error: { class: 'crash', text: 'its runner stopped while it ran' } };
  if (why?.kind === 'limit')
    return { state: 'failed', error: { class: 'limit', text: why.text }, ...(outcome && { outcome }) };
  const error = done?.outcome.error;
  return {
    state: done?.outcome.isDone === true ? 'done' : 'failed',
    ...(outcome && { outcome }),
    ...(error && { error: { ...error, text: error.text.slice(0, 20_000) } }),
  };
}

function outcomeOf({ outcome, lastMessage }: LaneDone): NonNullable<WireEnd['outcome']> {
  const { text, exit, sessionId, usage } = outcome;
  return {
    text: text.slice(0, 512 * 1024),
    ...(lastMessage !== undefined && { last: lastMessage }),
    code: exit?.code ?? null,
    signal: exit?.signal ?? null,
    ...(sessionId !== undefined && { session: sessionId }),
    ...(usage && { usage: { ...usage } }),
  };
}

function failure(thrown: unknown): Omit<WireEnd, 'fence'> {
  const { message, code } = toHubError(thrown);
  return {
    state: 'failed',
    error: { class: code === 'internal' ? 'crash' : 'config', text: message.slice(0, 2_000) },
  };
}

/** Until the hub knows: the run is not over before. */
export async function tellEnd(link: RunnerLink, at: At, end: Omit<WireEnd, 'fence'>): Promise<void> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await link.end(at, end);
    } catch (error) {
      // Whatever was refused was decided by somebody else.
      if (!(error instanceof HubAway)) return undefined;
      await sleep(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]);
    }
  }
}

type Answer = Pick<Command, 'decision' | 'text'>;
type HubQuestions = ReturnType<typeof createHubQuestions>;

function createHubQuestions() {
  const open = new Map<string, Readonly<{ asked: WireAsk; answer(given: Answer): void }>>();
  let stir = () => {};
  return {
    asks: (): WireAsk[] => [...open.values()].map(({ asked }) => asked),
    /** Told when there is something new to ask. */
    stirred: (wake: () => void) => (stir = wake),
    hear(command: Command): void {
      const found = command.id === undefined ? undefined : open.get(command.id);
      open.delete(command.id ?? '');
      found?.answer(command);
    },
    ask(asked: Omit<WireAsk, 'id'>, signal: AbortSignal): Promise<Answer> {
      const id = newId();
      return new Promise((resolve) => {
        const leave = () => {
          open.delete(id);
          resolve({ decision: 'void' });
        };
        const answer = (given: Answer) => {
          signal.removeEventListener('abort', leave);
          resolve(given);
        };
        if (signal.aborted) return leave();
        signal.addEventListener('abort', leave, { once: true });
        open.set(id, { asked: { ...asked, id }, answer });
        stir();
      });
    },
  };
}

type Beating = Readonly<{
  link: RunnerLink;
  at: At;
  questions: HubQuestions;
  log: Log;
  stop(why: Stop): void;
}>;

/** One request is always with the hub: it answers as soon as there is something to do. */
async function beat({ link, at, questions, log, stop }: Beating, over: AbortSignal): Promise<void> {
  let turn = new AbortController();
  questions.stirred(() => turn.abort());
  for (let failures = 0; !over.aborted;) {
    turn = new AbortController();
    try {
      const asking = { asks: questions.asks(), waitMs: BEAT_WAIT_MS };
      const commands = await link.beat(at, asking, AbortSignal.any([over, turn.signal]));
      failures = 0;
      for (const command of commands) {
        if (command.kind === 'cancel') stop({ kind: 'cancel' });
        else questions.hear(command);
      }
      if (commands.some(({ kind }) => kind === 'cancel'))
        await sleep(1_000, undefined, { signal: over }).catch(() => undefined);
    } catch (error) {
      if (over.aborted || turn.signal.aborted) continue;
      if (!(error instanceof HubAway)) {
        log.info('an attempt is not ours any more', { run: at.run, error });
        return stop({ kind: 'taken' });
      }
      await sleep(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)], undefined, { signal: over }).catch(
        () => undefined,
      );
      failures += 1;
    }
  }
}

function frameOf({ data }: NewRunEvent, ahead: number): WireFrame {
  const { task_id: _, line, kind, ts, ...common } = JSON.parse(data) as Record<string, unknown>;
  const at = new Date(Date.parse(ts as string) + ahead).toISOString();
  const frame = { kind: kind as WireFrame['kind'], line: line as string, ts: at };
  return Object.keys(common).length === 0 ? frame : { ...frame, common };
}

function runOf({ run: id, attempt, fence, order }: PlacedRun, cwd: string): Run {
  const {
    instance,
    agent,
    team,
    project,
    prompt,
    model,
    session_id: sessionId,
    board_task: boardTask,
  } = order;
  const { dollars, turns, ...limits } = order.limits;
  return {
    ...EMPTY_RUN,
    id,
    attempt,
    fence,
    instance,
    agent,
    team,
    project,
    prompt,
    model,
    sessionId,
    boardTask,
    cwd,
    limits: { ...limits, dollars, turns },
  };
}
