// One attempt on this machine, with the lanes and the launcher of a hub: what it says is spooled, what it asks goes to the hub.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config, Environment } from '../../../kernel/config.ts';
import { HubError } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import { type Agent, listAgents } from '../agents/agents.ts';
import type { Active, Stop } from '../attempt/active.ts';
import { watchLimits } from '../attempt/limits.ts';
import { addUsage } from '../frames/common.ts';
import { type Desk, executeRun } from '../lanes/run-agent.ts';
import type { PlacedRun, WireEnd, WireFrame } from '../pool/wire.ts';
import { projectLimits } from '../start/budgets.ts';
import { EMPTY_RUN, type Run } from '../run.ts';
import type { NewRunEvent } from '../stream/events.ts';
import { createRunWriter } from '../stream/run-writer.ts';
import { runSetup } from '../worktree/setup.ts';
import { beat, createHubQuestions } from './beat.ts';
import { type RunnerTree, checkOut } from './checkout.ts';
import { endOf, failure, limitOf, tellEnd } from './ends.ts';
import type { At, RunnerLink } from './link.ts';
import { lateAfter, untilReached } from './reach.ts';
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

/** What was committed is with the hub soon; where nothing was, a look costs two files. */
const SAVE_EVERY_MS = 2_000;
/** So long whoever is to leave waits for a hub that is away. */
const LEAVE_MS = 3_000;

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
  // Of the run and not of the attempt: agents know their sessions by the folder that these were begun in.
  const folder = join(home, 'work', at.run);
  const work = join(folder, 'work');
  const run = runOf(claim, work);
  const entry: Active = { run, stopping: new AbortController(), child: undefined };
  const stop = (why: Stop) => entry.stopping.abort(why);
  const over = new AbortController();
  const leave = () => stop({ kind: 'shutdown' });
  leaving.addEventListener('abort', leave, { once: true });
  if (leaving.aborted) leave();
  await rm(folder, { recursive: true, force: true });
  await mkdir(work, { recursive: true, mode: 0o700 });
  const ahead = Date.parse(claim.now) - Date.now();
  const spool = await openSpool({
    file: spoolOf(home, at),
    at: { ...at, agent: run.agent, git: claim.git },
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
  const { used } = claim.order;
  const desk: Desk = {
    writer,
    setReason: (to) => tell('phase', to),
    session: (id) => tell('session', id),
    heard: limits.heard,
    spent(part) {
      // Of the whole run, as its limits are.
      const usage = used ? addUsage(used, part) : part;
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
  let isAway = false;
  const tooLate = () => lateAfter(leaving, { ms: LEAVE_MS, over: over.signal });
  const notPushed = (error: unknown) => {
    log.warn('the work of a run was not pushed', { run: run.id, error });
    return error;
  };
  const reach = (signal: AbortSignal) => ({ link, at, signal });
  try {
    if (claim.git) {
      const known = run.project === null ? undefined : ground.projects[run.project];
      const { signal } = entry.stopping;
      const parts = { env, link, git: claim.git, caches: join(home, 'git'), work, known, signal };
      const made = (tree = await untilReached(reach(signal), () => checkOut(parts)));
      const script = config.dispatch.setup;
      if (script !== undefined) await runSetup({ run, script, writer, stopping: signal });
      let underWay: Promise<unknown> | undefined;
      // One at a time: while the hub is away none may be in the way of the last one.
      const push = () =>
        (underWay ??= made
          .save()
          .catch((error: unknown) => log.debug('work is not pushed yet', { run: run.id, error }))
          .finally(() => (underWay = undefined)));
      saving = setInterval(() => void push(), SAVE_EVERY_MS);
    }
    const agent = agentFor(config, env, run.instance);
    entry.run = { ...run, family: agent.family, lane: agent.lane };
    const { container } = projectLimits(config, run.project);
    const means = { env, address: link.url, token: claim.token, container, reads: tree?.borrows };
    const { start_over: startOver, used_before: before } = claim.order;
    const done = await executeRun(entry, desk, {
      agent,
      means,
      folder,
      before: before ?? undefined,
      startOver: startOver ?? undefined,
    });
    const { TZ: zone } = agent.settings.env;
    end = {
      ...endOf(done, stopOf(entry)),
      ...(!stopOf(entry) && limitOf(done, entry, { now: Date.now() + ahead, zone })),
    };
    clearInterval(saving);
    const isWhole = end.state === 'done' || end.state === 'handed_over' || end.limit;
    const save = async () => tree?.save(isWhole ? { rest: run.agent } : {});
    // Whoever cancelled it waits for no hub that is away.
    const late = tooLate();
    const saved = end.state === 'cancelled' ? save() : untilReached(reach(late), save);
    const unsaved: unknown = await saved.catch(notPushed);
    // A hub that was away for the work is not waited for a second time.
    if (unsaved !== undefined && late.aborted) isAway = true;
    // Who leaves while the hub is away tries once more when this machine begins again.
    if (unsaved !== undefined && end.state === 'done' && !leaving.aborted)
      end = { ...end, ...failure(unsaved) };
  } catch (thrown) {
    const why = stopOf(entry);
    end = why ? endOf(undefined, why) : failure(thrown);
  } finally {
    clearInterval(saving);
    limits.end();
    leaving.removeEventListener('abort', leave);
  }
  await writer.close();
  // Anew: what was pushed for long is told all the same.
  const late = isAway ? AbortSignal.abort() : tooLate();
  const isTold =
    (await spool.drained(late)) &&
    (stopOf(entry)?.kind === 'taken' || (await tellEnd(link, { at, end }, late)));
  over.abort();
  await beating;
  // Whoever begins here again sends it.
  if (!isTold) return spool.leave(end);
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
