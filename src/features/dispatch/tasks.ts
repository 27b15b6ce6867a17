// Runs as tasks of the MCP extension: the id of a run is the id of its task. Everything is read from the
// database, so a task is known after a restart and on every hub of it.
import { unlessUnknown } from '../../kernel/errors.ts';
import { hasScope, isPerson, type Principal } from '../../kernel/principal.ts';
import type { Question, Reply } from '../../mcp/ask.ts';
import { RPC } from '../../mcp/protocol/jsonrpc.ts';
import { isSameStanding, type KeptTask, type TaskCaller, type TaskSource } from '../../mcp/task-source.ts';
import { type Acting, byTool } from '../../store/calls.ts';
import type { Database, Query } from '../../store/database.ts';
import { approvalQuestion, type Broker, decisionIn } from '../broker/broker.ts';
import { callPrefix } from './attempt/permissions.ts';
import type { Dispatch, RunsView } from './dispatch.ts';
import { sentValue } from './operations.ts';
import { lastStateAt } from './rows/events.ts';
import { isOver, ownerOf } from './rules.ts';
import type { Run } from './run.ts';
import { SEND_TOOL } from './tools.ts';

export type RunTaskParts = Readonly<{
  db: Database;
  acting: Acting;
  dispatch: Dispatch;
  broker: Broker;
  /** How long an ended run is known; 0 for ever. */
  keepMs: number;
  /** May a client put the approvals of a run to its own user? */
  askClient: boolean;
}>;

/**
 * An approval is there a moment after its run says that it waits: then one looks again without being told.
 */
const LOOK_AGAIN_MS = 250;
const RARELY_MS = 60_000;

export function runTasks(parts: RunTaskParts): TaskSource {
  const { db, acting, dispatch, broker, keepMs, askClient } = parts;

  /** Whoever else may see a run asks with TaskGet: as a task it belongs to the one who started it. */
  async function ownRun({ runs, client: { who } }: Snapshot, id: string): Promise<Run | undefined> {
    if (!hasScope(who, 'runs:read')) return undefined;
    const run = await runs.get(id).catch(unlessUnknown);
    return run?.owner === ownerOf(who) ? run : undefined;
  }

  async function questionsOf({ q, runs, client: { who, can } }: Snapshot, run: Run): Promise<Questions> {
    if (!can.has('elicitation')) return {};
    if (run.reason === 'waiting_input') {
      const asked = (await runs.messages(run.id))
        .flatMap(({ envelope }) => envelope ?? [])
        .findLast(({ kind }) => kind === 'clarification');
      return asked ? { [`answer-${asked.message_id}`]: textQuestion(asked.body.text) } : {};
    }
    if (run.reason !== 'waiting_approval' || !askClient || !isPerson(who)) return {};
    const open = await broker.at(q, { who }).ofCalls(callPrefix(run.id));
    return Object.fromEntries(
      open.map((approval) => [`approval-${approval.id}`, approvalQuestion(approval)]),
    );
  }

  type Seen = Readonly<{ run: Run; changedAt: number | undefined; questions: Questions }>;

  async function look(snapshot: Snapshot, id: string): Promise<Seen | undefined> {
    const run = await ownRun(snapshot, id);
    if (!run) return undefined;
    const questions = isOver(run.state) ? {} : await questionsOf(snapshot, run);
    return { run, questions, changedAt: await lastStateAt(snapshot.q, id) };
  }

  async function taskOf({ run, changedAt, questions }: Seen, who: Principal): Promise<KeptTask> {
    const { closedAt, createdAt } = run;
    const base = {
      id: run.id,
      createdAt,
      updatedAt: changedAt ?? closedAt ?? createdAt,
      ttlMs: closedAt === null || keepMs === 0 ? null : closedAt - createdAt + keepMs,
    };
    if (run.state === 'cancelled') return { ...base, status: 'cancelled' };
    if (run.state === 'expired') {
      const message = run.error?.text ?? 'the hub that ran it is gone';
      return { ...base, status: 'failed', error: { code: RPC.internal, message } };
    }
    if (isOver(run.state)) {
      const answer = await broker.lateAnswer(SEND_TOOL, who, { ok: true, value: sentValue(run) });
      return { ...base, status: 'completed', answer };
    }
    const message = messageOf(run);
    return Object.keys(questions).length > 0
      ? { ...base, status: 'input_required', message, questions }
      : { ...base, status: 'working', message };
  }

  const find: TaskSource['find'] = async (id, client) => {
    const seen = await acting.look(byTool(client.who, 'TaskGet'), (q, caller) =>
      look({ q, client, runs: dispatch.at(q, caller) }, id),
    );
    return seen && taskOf(seen, client.who);
  };

  return {
    find,
    async answer({ id }, replies, { who }) {
      if (!hasScope(who, 'runs:write')) return;
      for (const [key, reply] of Object.entries(replies)) {
        if (key.startsWith('answer-')) {
          const body = textIn(reply);
          if (body !== undefined)
            await acting.change(byTool(who, 'TaskReply'), (tx, caller) =>
              dispatch.in(tx, caller).reply({ id, kind: 'progress', body }),
            );
          continue;
        }
        const decision = decisionIn(reply);
        const approval = key.replace(/^approval-/, '');
        if (decision !== undefined)
          await acting.change(byTool(who, 'TaskReply'), (tx, caller) =>
            broker.in(tx, caller).resolve({ id: approval, decision, isInPlace: true }),
          );
      }
    },
    async cancel({ id }, { who }) {
      if (!hasScope(who, 'runs:write')) return;
      await dispatch.cancel(byTool(who, 'TaskCancel'), id);
    },
    async changed(seen, caller, signal) {
      for (;;) {
        const patience = AbortSignal.timeout(seen.message === WAITS ? LOOK_AGAIN_MS : RARELY_MS);
        try {
          return await db.feed
            .until(
              seen.id,
              async () => {
                const now = await find(seen.id, caller);
                return now && isSameStanding(now, seen) ? undefined : { now };
              },
              AbortSignal.any([signal, patience]),
            )
            .then(({ now }) => now);
        } catch (error) {
          if (signal.aborted || !patience.aborted) throw error;
        }
      }
    },
  };
}

/** What is there now, as one client sees it. */
type Snapshot = Readonly<{ q: Query; runs: RunsView; client: TaskCaller }>;

type Questions = Readonly<Record<string, Question>>;

const WAITS = 'A tool call inside the run waits for approval.';

function messageOf({ state, reason, agent, waitUntil }: Run): string {
  if (reason === 'waiting_quota')
    return `${agent} waits for its model until ${new Date(waitUntil ?? 0).toISOString()}.`;
  if (reason === 'waiting_approval') return WAITS;
  if (reason === 'waiting_input') return 'The agent has a question; TaskReply answers it.';
  if (reason === 'cancelling') return 'It is being ended.';
  return state === 'pending' ? `${agent} waits for its turn.` : `${agent} is at work.`;
}

/** What the agent asks is its own text: it is shown as such, never as the hub's word. */
function textQuestion(text: string): Question {
  return {
    method: 'elicitation/create',
    params: {
      message: `The agent asks: ${text}`,
      requestedSchema: {
        type: 'object',
        properties: { answer: { type: 'string', title: 'Answer' } },
        required: ['answer'],
      },
    },
  };
}

const MOST_ANSWER = 64 * 1024;

/** Undefined: the question was put off. */
function textIn(reply: Reply): string | undefined {
  if (reply['action'] === 'decline') return 'No answer: the question was declined.';
  if (reply['action'] !== 'accept') return undefined;
  const { answer } = (reply['content'] ?? {}) as { answer?: unknown };
  return typeof answer === 'string' && answer !== '' ? answer.slice(0, MOST_ANSWER) : undefined;
}
