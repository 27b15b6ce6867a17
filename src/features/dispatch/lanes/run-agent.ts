// One agent process for one attempt, wherever it runs: the lane, what is heard of it, and its last word. The desk is whoever
// keeps what it says: the database of a hub, or the spool of a runner.
import { mkdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RUN_TOKEN } from '../../../kernel/redact.ts';
import type { Agent } from '../agents/agents.ts';
import { readerFor } from '../agents/families.ts';
import type { Active } from '../attempt/active.ts';
import { leaveContainer } from '../attempt/container.ts';
import { attachmentOf, launchFor, type Means } from '../attempt/launch.ts';
import type { Common, Usage } from '../frames/common.ts';
import type { Reason } from '../run.ts';
import type { RunWriter } from '../stream/run-writer.ts';
import { runExec } from './exec.ts';
import type { LaneOutcome, LaneParts, RunAcp } from './lane.ts';

export type Desk = Readonly<{
  writer: RunWriter;
  /** With `from` only from there. */
  setReason(to: Reason, from?: Reason): Promise<void>;
  session(id: string): Promise<void>;
  heard(): void;
  spent(usage: Usage): void;
  news(): Promise<string | undefined>;
  runAcp: RunAcp;
}>;

export type Execution = Readonly<{
  agent: Agent;
  /** Without its folder for what lies about: it is made in `folder`. */
  means: Omit<Means, 'tmp'>;
  folder: string;
  /** What the agent's session had used before. */
  before: Usage | undefined;
  /** What it is told where its session cannot be opened again. */
  startOver?: string | undefined;
}>;

export type LaneDone = Readonly<{ outcome: LaneOutcome; lastMessage: string | undefined }>;

/** What only a model that answers leads to. */
const WORK: ReadonlySet<string> = new Set(['text', 'thought', 'tool', 'plan']);
/** Of the last word its beginning is shown, masked before it is cut. */
const MOST_LAST = 15_000;
/** So much of what a line goes on from is kept with it. Both go from a runner to its hub, which takes 20,000. */
const MOST_BEFORE = 4_096;
/** What ends sooner is never told to be running: that would be a transaction for nobody. */
const RUNNING_MS = 60;

/** `entry.run` is what is run; its child stands there as soon as there is one. */
export async function executeRun(entry: Active, desk: Desk, execution: Execution): Promise<LaneDone> {
  const { run } = entry;
  const { agent, folder, before } = execution;
  const { token } = execution.means;
  const tmp = join(folder, 'tmp');
  await mkdir(tmp, { recursive: true, mode: 0o700 });
  const means: Means = { ...execution.means, tmp };
  const launch = launchFor(run, agent, means);
  let telling: NodeJS.Timeout | undefined;
  let lastMessage: string | undefined;
  let { sessionId } = run;
  const silence = (entry.silence = new AbortController());
  const tools = (entry.tools = new Set<string>());
  const lane: LaneParts = {
    run,
    agent,
    launch,
    writer: desk.writer,
    stopping: AbortSignal.any([entry.stopping.signal, silence.signal]),
    started(child) {
      entry.child = child;
      // An agent that asks at once is heard before this is told, and goes on waiting.
      const isUp = () => void desk.setReason('running', 'starting').catch(() => undefined);
      telling = setTimeout(isUp, RUNNING_MS);
    },
    heard(common) {
      desk.heard();
      if (common && WORK.has(common.type)) entry.hasSpoken = true;
      countTools(tools, common);
      const said = lastOf(common)?.replaceAll(token, RUN_TOKEN);
      if (said === undefined) return;
      // A plain command says a line at a time, and a key may go on from one to the next: what it said last is masked as a whole.
      const isLine = run.family === 'command' && lastMessage !== undefined;
      lastMessage = isLine ? `${lastMessage!.slice(-MOST_BEFORE)}\n${said}` : said;
    },
    async session(id) {
      if (sessionId === id) return;
      sessionId = id;
      await desk.session(id);
    },
    spent: desk.spent,
  };
  try {
    const more = {
      hub: attachmentOf(means),
      sessionId: run.sessionId ?? undefined,
      costBefore: before?.costUsd ?? 0,
      setReason(to: Reason) {
        clearTimeout(telling);
        return desk.setReason(to);
      },
      news: desk.news,
      ...(execution.startOver !== undefined && { startOver: execution.startOver }),
    };
    const outcome =
      agent.lane === 'acp'
        ? await desk.runAcp(lane, more)
        : await runExec(lane, readerFor(agent.family, before));
    const isSilent = silence.signal.aborted && !entry.stopping.signal.aborted && !outcome.isDone;
    const told = isSilent ? notHeard(outcome, silence.signal.reason as string) : outcome;
    return { outcome: masked(told, token), lastMessage };
  } finally {
    clearTimeout(telling);
    await leaveContainer(launch);
    // Most leave nothing lying about.
    await rmdir(tmp).catch(() => rm(tmp, { recursive: true, force: true }));
    await rmdir(folder).catch(() => undefined);
  }
}

/** What it began and did not end yet; a model that speaks waits for none of them. */
function countTools(open: Set<string>, common: Common | undefined): void {
  if (common?.type === 'text' || common?.type === 'thought') open.clear();
  if (common?.type !== 'tool') return;
  const { id = '', phase } = common.tool;
  if (phase === 'end') open.delete(id);
  else open.add(id);
}

/** Some clients wait for their model without a word: no more is known of its limit than that. */
function notHeard(outcome: LaneOutcome, text: string): LaneOutcome {
  return { ...outcome, error: { class: 'rate_limit', text }, limit: { kind: 'rate', text } };
}

/** A program that prints its environment prints its token; it is kept nowhere. */
function masked(outcome: LaneOutcome, token: string): LaneOutcome {
  const mask = (text: string) => text.replaceAll(token, RUN_TOKEN);
  const { error } = outcome;
  const stderr = error?.stderr === undefined ? {} : { stderr: mask(error.stderr) };
  return {
    ...outcome,
    text: mask(outcome.text),
    error: error && { ...error, text: mask(error.text), ...stderr },
  };
}

function lastOf(common: Common | undefined): string | undefined {
  return common && (common.type === 'text' || common.type === 'error') && common.text.trim() !== ''
    ? common.text.slice(0, MOST_LAST)
    : undefined;
}
