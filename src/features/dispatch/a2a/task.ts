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

type Standing = Pick<Run, 'state' | 'reason'>;

export function stateOf({ state, reason }: Standing): string {
  const isWaiting = state === 'active' && (reason === 'waiting_approval' || reason === 'waiting_input');
  return isWaiting ? 'TASK_STATE_INPUT_REQUIRED' : STATES[state];
}

/** The states that a list may be asked for. */
export function runStatesOf(state: string): RunStatus[] {
  return (Object.keys(STATES) as RunStatus[]).filter((each) => STATES[each] === state);
}

export function contextOf(run: Pick<Run, 'id' | 'contextId'>): string {
  return run.contextId ?? run.id;
}

export function statusOf(run: Run): object {
  const words = run.error?.text ?? (stateOf(run) === 'TASK_STATE_INPUT_REQUIRED' ? waitsFor(run) : undefined);
  return {
    state: stateOf(run),
    timestamp: new Date(run.closedAt ?? run.startedAt ?? run.createdAt).toISOString(),
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

export function taskOf(run: Run): object {
  return {
    id: run.id,
    contextId: contextOf(run),
    status: statusOf(run),
    artifacts:
      run.result === null ? [] : [{ artifactId: 'result', name: 'result', parts: [{ text: run.result }] }],
    history: [
      {
        messageId: `${run.id}-prompt`,
        contextId: contextOf(run),
        taskId: run.id,
        role: 'ROLE_USER',
        parts: [{ text: run.prompt }],
      },
    ],
    metadata: { agent: run.instance, runAgent: run.agent },
  };
}
