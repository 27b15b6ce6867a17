// How a request becomes a run: who is meant, where it works, what it may spend, and the row with its signed
// request.
import type { z } from 'zod';
import type { RunLimits } from '../../../kernel/agent-settings.ts';
import type { Config, Environment } from '../../../kernel/config.ts';
import { makeFolders } from '../../../kernel/folders.ts';
import { HubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { thisMachine } from '../../../kernel/process/table.ts';
import { redact } from '../../../kernel/redact.ts';
import type { Acting, Call } from '../../../store/calls.ts';
import type { Database, Tx } from '../../../store/database.ts';
import type { Locator } from '../../projects/projects.ts';
import { type Agent, listAgents } from '../agents/agents.ts';
import { chooseAgents } from '../agents/choice.ts';
import { withOffered } from '../pool/offered.ts';
import { repositoryOf } from '../../../kernel/git/repository.ts';
import { planWorktree } from '../worktree/worktrees.ts';
import { MOST_IN_ARGUMENT, takesPromptAsArgument } from '../agents/families.ts';
import { allowanceFor, projectLimits, refuseNoBudget } from './budgets.ts';
import type { HubIdentity } from '../messages/envelopes.ts';
import type { options } from '../inputs.ts';
import { appendState, tellRun } from '../stream/events.ts';
import type { RunMessages } from '../messages/messages.ts';
import { placeRun, scratchOf } from './place.ts';
import { insertMessage } from '../rows/messages.ts';
import { findRun, insertRun, openRunOfAgent } from '../rows/runs.ts';
import { ownerOf, refuseDeep, refuseOptions } from '../rules.ts';
import { EMPTY_RUN, type Lane, type Run, type Worktree } from '../run.ts';
import { createSlots } from './slots.ts';

export type SendRequest = Readonly<{
  instance?: string | undefined;
  tag?: string | undefined;
  prompt: string;
  opts?: SendOptions | undefined;
}>;

type SendOptions = Readonly<Partial<z.output<typeof options>>>;

/** What board work and resuming add to a send. */
export type SendMore = Readonly<{
  boardTask?: string;
  worktree?: Worktree;
  contextId?: string;
  /** The sender's own name for the message. */
  messageId?: string | undefined;
  resumes?: string;
  /** It tries its task beside others. */
  trial?: string;
  /** The team of what it works on. */
  team?: string | null;
  cwd?: string;
  /** The run whose act led to this one, also when it is over: this one is one deeper. */
  cause?: Run | undefined;
  /** At least so deep. */
  hops?: number | undefined;
  /** In the transaction that makes the run: claims its task, for instance. */
  alongside?(tx: Tx, run: Run): Promise<void>;
}>;

type SenderParts = Readonly<{
  db: Database;
  acting: Acting;
  config: Config;
  env: Environment;
  hub: string;
  identity: HubIdentity;
  messages: Pick<RunMessages, 'requestOf'>;
  projects: Locator;
  /** This hub is known to keep runs. */
  ready(): Promise<void>;
  /** The run is on disk; it starts when its turn has come. */
  start(
    run: Run,
    how: Readonly<{ agents: readonly Agent[]; spent: string | undefined; concurrent: number }>,
  ): void;
}>;

const MOST_PROMPT = 1024 * 1024;

export function createSender(parts: SenderParts) {
  const { db, acting, config, env, hub, identity, messages, projects, ready, start } = parts;
  const rates = createSlots(0);
  const projectRates = createSlots(0);
  const turns = new Map<string, number>();

  function turn(family: string): number {
    const next = turns.get(family) ?? 0;
    turns.set(family, next + 1);
    return next;
  }

  /** What is done on another machine comes back on a branch of its own. */
  async function planFor(cwd: string, run: string): Promise<Worktree | null> {
    const repository = await repositoryOf(cwd);
    return repository === undefined ? null : planWorktree(config.home, repository, { task: 'sent', run });
  }

  return {
    async send(call: Call, request: SendRequest, more: SendMore = {}): Promise<Run> {
      const { who } = call;
      const { prompt, opts = {} } = request;
      refuseOptions(opts);
      requirePrompt(prompt);
      const stored = redact(prompt);
      const { instance, tag } = request;
      const { standard, policy } = config.dispatch;
      const known = await withOffered(db, listAgents(config, env));
      const agents = chooseAgents(known, { instance, tag }, { standard, policy, turn });
      const first = agents[0]!;
      refuseLongArgument(first, prompt);
      refuseSpent(first.instance, first.settings.limits);
      const bound = who.bound.agent;
      const parent =
        more.cause ??
        (bound === undefined
          ? undefined
          : await db.read((q) => openRunOfAgent(q, bound, who.bound.team ?? null)));
      const above = parent && (await messages.requestOf(parent));
      const hops = Math.max(parent ? Math.max(parent.hops, above?.hop_count ?? 0) + 1 : 0, more.hops ?? 0);
      refuseDeep(hops, config.dispatch.hops);
      const id = newId();
      const scratch = scratchOf(config.home, id);
      const needs = [
        ...new Set([...first.settings.needs, ...(opts.needs ?? []).map((each) => each.toLowerCase())]),
      ];
      const { cwd, project: found } = await placeRun(config, projects, {
        who,
        agent: first,
        parent,
        worktree: more.worktree,
        cwd: more.cwd,
        wanted: opts.cwd,
        project: opts.project,
        scratch,
      });
      const team = who.bound.team ?? more.team ?? who.default?.team ?? parent?.team ?? null;
      const project = found ?? team;
      const together = projectLimits(config, project);
      refuseNoBudget(project, together);
      const own = first.settings.limits;
      const { limits, spent } = await db.read((q) =>
        allowanceFor(q, project, { own, of: together, now: db.now() }),
      );
      if (project !== null) projectRates.count(`The project ${project}`, together.rate);
      rates.count(first.instance, own.rate);
      if (cwd === scratch) makeFolders(scratch);
      const isElsewhere =
        opts.on !== undefined || needs.length > 0 || first.program === undefined || !config.dispatch.isRunner;
      const worktree = more.worktree ?? (isElsewhere ? await planFor(cwd, id) : null);
      await ready();
      const made = await acting.change(call, async (tx, caller) => {
        const run: Run = {
          ...EMPTY_RUN,
          id,
          instance: first.instance,
          family: first.family,
          lane: first.lane satisfies Lane,
          agent: `${first.instance}-${id.slice(-6)}`,
          owner: ownerOf(caller.who),
          team,
          project,
          cwd: worktree?.path ?? cwd,
          prompt: stored,
          model: opts.model ?? null,
          sessionId: opts.session_id ?? null,
          parent: parent?.id ?? null,
          hops,
          hub,
          contextId: more.contextId ?? null,
          boardTask: more.boardTask ?? null,
          resumes: more.resumes ?? null,
          worktree,
          trial: more.trial ?? null,
          limits,
          wants: {
            needs,
            ...(opts.on !== undefined && { on: opts.on }),
            retries: retriesOf(first.settings, more),
            ...(cwd !== scratch && { machine: thisMachine() }),
          },
          createdAt: tx.now,
        };
        await insertRun(tx, run);
        const [from, to, at] = [run.owner, run.agent, tx.now];
        const key = more.messageId === undefined ? undefined : redact(more.messageId);
        const prompted = { runId: id, kind: 'prompt', text: stored, from, to, hops, above, key, at } as const;
        await insertMessage(tx, identity.seal(prompted));
        await appendState(tx, run, 'task');
        tellRun(tx, run, { kind: 'run.created' });
        await more.alongside?.(tx, run);
        return { id };
      });
      const run = (await db.read((q) => findRun(q, made.id)))!;
      // Another id means that this very request was made before: its run is already on its way.
      if (made.id === id) start({ ...run, prompt }, { agents, spent, concurrent: together.concurrent });
      return run;
    },
  };
}

/** Its agent's own word first; a task of the board is worth another try, whoever asks for anything else can ask again. */
function retriesOf({ retry }: Agent['settings'], { boardTask }: SendMore): number {
  return retry ?? (boardTask === undefined ? 0 : 1);
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
