import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentMode } from '../../../kernel/agent-settings.ts';
import { HubError } from '../../../kernel/errors.ts';
import { redact } from '../../../kernel/redact.ts';
import * as acp from '../frames/acp.ts';
import { addUsage, asObject, asText, type Json, NO_USAGE, type Usage } from '../frames/common.ts';
import { type Started, startProcess } from '../../../kernel/process/start.ts';
import { splitLines } from '../stream/lines.ts';
import type { Run } from '../run.ts';
import { type ClientFailure, readFailure } from '../quota/limit.ts';
import { beginSession } from './acp-session.ts';
import { createRpc, type Rpc, RpcFailure } from './acp-wire.ts';
import {
  type AcpMore,
  createTail,
  hearComplaints,
  type LaneParts,
  type LaneOutcome,
  PATIENCE_MS,
} from './lane.ts';

/** A permission that the agent asked for, with everything it said about the call. */
export type PermissionRequest = Readonly<{
  toolCall: Json;
  signal: AbortSignal;
  /** The same question again, where it was asked before. */
  id?: string;
}>;
/** `note`: what whoever said no had to say about it. */
export type PermissionAnswer = Readonly<{ decision: 'allow' | 'deny' | 'void'; note?: string | undefined }>;
type Asker = Readonly<{ run: Run; mode: AgentMode }>;
export type AcpQuestion = (asker: Asker, request: PermissionRequest) => Promise<PermissionAnswer>;

const START_MS = 60_000;
/** After a cancel by protocol the agent has so long to end its turn. */
const CANCEL_MS = 3_000;
/** Between its last word and the end of its process. */
const LEAVE_MS = 2_000;
const PULSE_MS = 5_000;
/** So often the words that came with a no begin another turn. */
const MOST_WORDS = 5;
/** Some agents end their turn with a no, some call that cancelled. */
const TAKES_A_WORD: ReadonlySet<string> = new Set(['end_turn', 'cancelled']);

/**
 * One agent process that speaks ACP 1, one session, one prompt. The protocol's answer to a request has no
 * room for words, so those that came with a no follow as a prompt of their own when the turn is over.
 */
export async function runAcp(parts: LaneParts, more: AcpMore, ask: AcpQuestion): Promise<LaneOutcome> {
  const { run, launch, writer, stopping } = parts;
  const complaints = createTail();
  const calls = new Map<string, Json>();
  const open = new AbortController();
  let isReplaying = false;
  let said = '';
  let costUsd: number | undefined;
  let hasFailed = false;
  /** What Codex says itself after its turn failed; a model's words are no error. */
  let complaint = '';
  let usage: Usage | undefined;
  const words: string[] = [];

  function hearUpdate(update: Json): void {
    costUsd = acp.costOf(update) ?? costUsd;
    if (costUsd !== undefined)
      parts.spent({ ...NO_USAGE, costUsd: Math.max(0, costUsd - more.costBefore), turns: 1 });
    if (acp.isSystemError(update)) hasFailed = true;
    const id = asText(update['toolCallId']);
    if (id !== undefined) calls.set(id, acp.joinCall(calls.get(id), update));
    const common = acp.readUpdate(update, run.family);
    if (common?.type === 'text' && !isReplaying) said += common.text;
    if (common?.type === 'notice' && hasFailed) complaint += common.text;
  }

  async function decide(params: Json): Promise<object> {
    const asked = asObject(params['toolCall']) ?? {};
    const toolCall = acp.joinCall(calls.get(asText(asked['toolCallId']) ?? ''), asked);
    // A person takes their time; the silence of an agent that waits for one is no silence.
    const pulse = setInterval(() => parts.heard(undefined), PULSE_MS);
    // What was said before it asked is told before it waits.
    await writer.flush();
    await more.setReason('waiting_approval');
    try {
      const { decision, note } = await ask(
        { run, mode: parts.agent.settings.mode },
        {
          toolCall,
          signal: AbortSignal.any([stopping, open.signal]),
        },
      );
      const optionId =
        decision === 'void' ? undefined : acp.chooseOption(acp.optionsOf(params), decision === 'allow');
      const what = asText(toolCall['title']) ?? 'A tool call';
      writer.notice(
        `${what}: ${{ allow: 'allowed', deny: 'refused', void: 'no longer asked' }[decision]}${note === undefined ? '' : `, with the word: ${note}`}.`,
      );
      if (note !== undefined)
        words.push(`${what.slice(0, 300)}: refused. The word that came with it:\n${note}`);
      return {
        outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId },
      };
    } finally {
      clearInterval(pulse);
      await more.setReason('running');
    }
  }

  const process: { child?: Started } = {};
  const rpc = createRpc({
    write: (line) => void process.child?.write(line),
    serve: (method, params) => (method === 'session/request_permission' ? decide(params) : undefined),
    hear(method, params) {
      if (method === 'session/update') hearUpdate(asObject(params['update']) ?? {});
    },
  });

  const out = splitLines((line) => {
    const message = line.lost > 0 ? undefined : rpc.receive(line.text);
    const update = asObject(asObject(message?.['params'])?.['update']);
    if (isReplaying || acp.isWorthless(update)) return parts.heard(undefined);
    const common = update ? acp.readUpdate(update, run.family, more.costBefore) : askedFor(message);
    parts.heard(common);
    writer.frame('acp', line, common);
    return undefined;
  });
  const err = hearComplaints(parts, complaints);

  const child = await startProcess(launch, { stdout: out.push, stderr: err.push });
  process.child = child;
  const { tree, exited } = child;
  parts.started(child);
  void exited.then(() => rpc.end(new RpcFailure(0, 'the agent ended before it answered')));

  let sessionId = more.sessionId;
  const stop = () => void stopByProtocol(rpc, sessionId, open).then(() => tree.end(PATIENCE_MS));
  if (stopping.aborted) stop();
  else stopping.addEventListener('abort', stop, { once: true });

  let failure: ClientFailure | null = null;
  try {
    const began = await inTime(
      beginSession(rpc, parts, { ...more, replaying: (is) => (isReplaying = is) }),
      START_MS,
    );
    sessionId = began.sessionId;
    await parts.session(sessionId);
    let text = began.isNew && more.sessionId !== undefined ? (more.startOver ?? run.prompt) : run.prompt;
    for (let turn = 0; text !== ''; turn += 1) {
      const result = await rpc.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
      const isLastStepOnly = run.family === 'opencode';
      usage = addTurn(
        usage,
        acp.usageOfPrompt({ result, costUsd, costBefore: more.costBefore, isLastStepOnly }),
      );
      parts.spent(usage);
      const reason = asText(result['stopReason']) ?? '';
      failure = failureOfStop(reason, hasFailed, complaint);
      const goesOn = TAKES_A_WORD.has(reason) && !hasFailed && !stopping.aborted && turn < MOST_WORDS;
      const news = goesOn ? await more.news() : undefined;
      if (news !== undefined) writer.notice('Mail came for the agent: it is told with a prompt of its own.');
      text = goesOn ? [...words.splice(0), ...(news === undefined ? [] : [news])].join('\n\n') : '';
    }
  } catch (thrown) {
    failure = failureOf(thrown);
  } finally {
    open.abort();
  }
  stopping.removeEventListener('abort', stop);
  child.close();
  await Promise.race([exited, sleep(LEAVE_MS)]);
  await tree.end(PATIENCE_MS);
  const exit = await exited;
  out.end();
  err.end();
  return {
    isDone: failure === null,
    text: said,
    error: failure && errorOf(failure, complaints.text()),
    ...(failure?.limit && { limit: failure.limit }),
    exit,
    sessionId,
    usage: usage ?? { ...NO_USAGE, basis: 'lower_bound' },
  };
}

/** Tokens are of each turn, the cost is of all of them. */
function addTurn(before: Usage | undefined, turn: Usage): Usage {
  return before ? { ...addUsage(before, turn), costUsd: turn.costUsd ?? before.costUsd } : turn;
}

/** Open questions are void first: one agent would otherwise wait for their answers for ever. */
async function stopByProtocol(rpc: Rpc, sessionId: string | undefined, open: AbortController): Promise<void> {
  open.abort();
  if (sessionId === undefined) return;
  rpc.notify('session/cancel', { sessionId });
  await sleep(CANCEL_MS);
}

async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const late = new AbortController();
  const tooLate = sleep(ms, undefined, { signal: late.signal }).then(() => {
    throw new HubError('unavailable', `The agent did not begin a session within ${ms / 1000} s.`);
  });
  tooLate.catch(() => undefined);
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    late.abort();
  }
}

function askedFor(message: Json | undefined) {
  if (message?.['method'] !== 'session/request_permission') return undefined;
  const toolCall = asObject(asObject(message['params'])?.['toolCall']) ?? {};
  return {
    type: 'approval',
    approval: { title: toolCall['title'], kind: toolCall['kind'], input: toolCall['rawInput'] },
  } as const;
}

const STOPS: Readonly<Record<string, ClientFailure>> = {
  max_tokens: { class: 'limit', text: 'the answer reached the limit of tokens' },
  max_turn_requests: { class: 'limit', text: 'it reached its limit of turns' },
  refusal: { class: 'api', text: 'the model refused' },
  cancelled: { class: 'crash', text: 'the turn was cancelled' },
};

function failureOfStop(reason: string, hasFailed: boolean, complaint: string): ClientFailure | null {
  if (reason !== 'end_turn') return STOPS[reason] ?? { class: 'api', text: `it stopped: ${reason}` };
  if (!hasFailed) return null;
  const text = redact(complaint).trim().slice(-300);
  return text === '' ? { class: 'api', text: 'the turn failed' } : readFailure({ text });
}

const AUTH_REQUIRED = -32_000;

function failureOf(thrown: unknown): ClientFailure {
  if (!(thrown instanceof RpcFailure))
    return { class: 'config', text: thrown instanceof Error ? thrown.message : String(thrown) };
  const { code, kind, message: text } = thrown;
  if (code === 0) return { class: 'crash', text };
  return readFailure({ text, status: code === AUTH_REQUIRED ? 401 : code, code: kind });
}

function errorOf({ class: kind, text }: ClientFailure, stderr: string): LaneOutcome['error'] {
  return { class: kind, text, ...(stderr !== '' && { stderr }) };
}
