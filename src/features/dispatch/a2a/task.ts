import type { EventKind } from '../rows/events.ts';
import type { RunFilter } from '../rows/runs.ts';
import type { Run, RunStatus } from '../run.ts';

/** A run as A2A 1.0 sees it. */
const STATES: Readonly<Record<RunStatus, string>> = {
  pending: 'TASK_STATE_SUBMITTED',
  active: 'TASK_STATE_WORKING',
  done: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  cancelled: 'TASK_STATE_CANCELED',
  expired: 'TASK_STATE_FAILED',
};
const WAITING = 'TASK_STATE_INPUT_REQUIRED';
/** Of the protocol, but of no run. */
const NEVER: ReadonlySet<string> = new Set(['TASK_STATE_REJECTED', 'TASK_STATE_AUTH_REQUIRED']);

type Standing = Pick<Run, 'state' | 'reason'>;

function stateOf({ state, reason }: Standing): string {
  const isOpen = state === 'active' || state === 'pending';
  const isWaiting = isOpen && (reason === 'waiting_approval' || reason === 'waiting_input');
  return isWaiting ? WAITING : STATES[state];
}

/** The runs of that state; undefined when the protocol knows none of that name. */
export function runsOfState(state: string): Pick<RunFilter, 'states' | 'isWaiting'> | undefined {
  if (state === WAITING) return { states: ['pending', 'active'], isWaiting: true };
  const states = (Object.keys(STATES) as RunStatus[]).filter((each) => STATES[each] === state);
  if (states.length === 0) return NEVER.has(state) ? { states: [] } : undefined;
  return { states, isWaiting: false };
}

export function contextOf(run: Pick<Run, 'id' | 'contextId'>): string {
  return run.contextId ?? run.id;
}

export function changedAt({ closedAt, startedAt, createdAt }: Run): number {
  return closedAt ?? startedAt ?? createdAt;
}

function statusOf(run: Run): object {
  const words = run.error?.text ?? (stateOf(run) === WAITING ? waitsFor(run) : undefined);
  return {
    state: stateOf(run),
    timestamp: new Date(changedAt(run)).toISOString(),
    ...(words !== undefined && { message: agentMessage(run, words) }),
  };
}

function waitsFor({ reason }: Run): string {
  return reason === 'waiting_approval'
    ? 'A tool call waits for approval: answer allow_once or deny as a person, or use the approvals inbox.'
    : 'The agent has a question.';
}

function agentMessage(run: Run, text: string): object {
  return {
    messageId: `${run.id}-status`,
    contextId: contextOf(run),
    taskId: run.id,
    role: 'ROLE_AGENT',
    parts: [{ text }],
  };
}

/** How much of a task is wanted. */
export type TaskExtent = Readonly<{ historyLength?: number | undefined; withArtifacts?: boolean }>;
type Told = TaskExtent & Readonly<{ history: readonly object[] }>;

export function taskOf(run: Run, { history, withArtifacts = true }: Told): object {
  const result = { artifactId: 'result', name: 'result', parts: [{ text: run.result }] };
  return {
    id: run.id,
    contextId: contextOf(run),
    status: statusOf(run),
    ...(withArtifacts && { artifacts: run.result === null ? [] : [result] }),
    ...(history.length > 0 && { history }),
    metadata: { agent: run.instance, runAgent: run.agent },
  };
}

type Said = Readonly<{
  type?: string;
  text?: string;
  line?: string;
  /** Of a message: whose it is. */
  from?: string;
  status?: RunStatus;
  reason?: Run['reason'];
}>;

/**
 * An event of a run's stream as one message of A2A; `run` as it stands now. Undefined: nothing A2A has a word
 * for.
 */
export function streamResponseOf(run: Run, kind: EventKind, data: object): object | undefined {
  const told = data as Said;
  const place = { taskId: run.id, contextId: contextOf(run) };
  if (kind === 'terminal') return { statusUpdate: { ...place, status: statusOf(run) } };
  if (kind === 'task') {
    const state = stateOf({ state: told.status!, reason: told.reason ?? null });
    return { statusUpdate: { ...place, status: { state, timestamp: new Date().toISOString() } } };
  }
  // What somebody says to the agent is in the history, and nothing that it puts out.
  const isOthers = told.from !== undefined && told.from !== run.agent;
  if (told.type !== 'text' || isOthers) return undefined;
  const artifact = { artifactId: 'output', parts: [{ text: told.text ?? told.line ?? '' }] };
  return { artifactUpdate: { ...place, artifact, append: true, lastChunk: false } };
}
