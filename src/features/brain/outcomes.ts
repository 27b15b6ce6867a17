import type { Event } from '../../kernel/event.ts';
import type { Query } from '../../store/database.ts';
import type { Signal } from './credit.ts';

/** What other rooms tell about how work came out, as signals. */
export type EventOutcome = Readonly<{
  signal: Signal;
  agent: string | undefined;
  /** Digest of the session it came through. */
  seat?: string | undefined;
  taskId?: string;
  key?: string;
}>;

/** Did this session hold that task? Answered by the board. */
export type HeldBy = (q: Query, session: string, taskId: string) => Promise<boolean>;

export function outcomeOf(event: Event): EventOutcome | undefined {
  const { kind, data = {}, subject } = event;
  if (kind === 'task.status_changed' && (data['to'] === 'done' || data['to'] === 'cancelled')) {
    return {
      signal: data['to'] === 'done' ? 'task_completed' : 'session_abandoned',
      agent: textOf(data['agentId']),
      taskId: subject,
      key: `task:${subject}:${data['to']}`,
    };
  }
  // A denied or failed call says nothing about what was remembered. Successes count once per turn, or busy agents would drown all else.
  if (kind === 'tool.finished' && data['isError'] === false) {
    return { signal: 'tool_success', agent: event.actor.id, seat: textOf(data['seat']) };
  }
  return undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
