// One task as the documents describe it, with one hand on it at a time: what may be answered, and what is so afterwards.
import type { Answer, Asked } from './history.ts';

export type State = Readonly<{
  status: 'todo' | 'in_progress' | 'done';
  holder: string | null;
  fence: number;
  /** Given by somebody: it waits for its holder, and as long as that its lease does not run out. */
  awaited: boolean;
  /** The earliest and the latest moment at which the holder can have got its lease. */
  since: number;
  until: number;
}>;

export const FREE: State = { status: 'todo', holder: null, fence: 0, awaited: false, since: 0, until: 0 };

export type Moment = Readonly<{ began: number; ended: number }>;
export type Lease = Readonly<{
  ms: number;
  /** How far the hub's clock may be from ours, and how late a sign of life may be written. */
  slackMs: number;
}>;

/** Everything that can be so after this answer to this question; none: the answer is wrong. */
export function after(
  lease: Lease,
  state: State,
  call: Moment & Readonly<{ asked: Asked; answer: Answer }>,
): State[] {
  // A sweep may have come first, and taken the task from whoever let its lease run out.
  const found = mayHaveLapsed(lease, state, call) ? [state, swept(state)] : [state];
  return found.flatMap((from) => next(lease, from, call));
}

function next(lease: Lease, from: State, call: Moment & Readonly<{ asked: Asked; answer: Answer }>): State[] {
  const { asked, answer } = call;
  if (asked.op === 'read') return answer.is === 'lost' || isSeen(from, answer) ? [from] : [];
  // What is lost had any outcome that it could have had, or none.
  if (answer.is === 'lost') return [from, ...outcome(lease, from, call).map(({ to }) => to)];
  return outcome(lease, from, call)
    .filter(({ told }) => isSame(told, answer))
    .map(({ to }) => to);
}

type Outcome = Readonly<{ told: Answer; to: State }>;

const refused = (from: State, code: string): Outcome => ({ told: { is: 'refused', code }, to: from });

type Asking<Question> = Moment & Readonly<{ asked: Question }>;

function outcome(lease: Lease, from: State, call: Asking<Asked>): Outcome[] {
  const { asked } = call;
  if (asked.op === 'read') return [];
  if (asked.op === 'claim' || asked.op === 'assign') return acquired(lease, from, { ...call, asked });
  if (from.holder === null || asked.fence !== from.fence) return [refused(from, 'stale_fence')];
  const isFinish = asked.op === 'finish';
  if (from.status === 'done')
    return isFinish ? [{ told: { is: 'ok' }, to: from }] : [refused(from, 'conflict')];
  const to: State = isFinish ? { ...from, status: 'done', awaited: false } : freed(from);
  return [{ told: { is: 'ok' }, to }];
}

type Taking = Extract<Asked, { op: 'claim' } | { op: 'assign' }>;

function acquired(lease: Lease, from: State, call: Asking<Taking>): Outcome[] {
  const { asked } = call;
  if (from.status === 'done') return [refused(from, 'conflict')];
  const got = { since: Math.max(call.began, from.since), until: call.ended };
  const isGiven = asked.op === 'assign';
  if (from.awaited && from.holder === asked.agent && !isGiven)
    return [{ told: { is: 'taken', fence: from.fence }, to: { ...from, awaited: false, ...got } }];
  const fence = from.fence + 1;
  const mine: State = { status: 'in_progress', holder: asked.agent, fence, awaited: isGiven, ...got };
  // Who gives a task away is not told the fence of whoever gets it.
  const taken: Outcome = { told: isGiven ? { is: 'ok' } : { is: 'taken', fence }, to: mine };
  if (from.status === 'todo') return [taken];
  return [
    ...(mayHaveLapsed(lease, from, call) ? [taken] : []),
    ...(hasSurelyLapsed(lease, from, call) ? [] : [refused(from, 'conflict')]),
  ];
}

function freed(from: State): State {
  return { ...FREE, fence: from.fence, since: from.since, until: from.until };
}

const swept = freed;

/** Nobody can have lost a lease before it could run out. */
function mayHaveLapsed({ ms, slackMs }: Lease, state: State, { ended }: Moment): boolean {
  return state.status === 'in_progress' && !state.awaited && ended >= state.since + ms - slackMs;
}

/** Whoever comes later than that gets the task: expiry is decided when somebody asks. */
function hasSurelyLapsed({ ms, slackMs }: Lease, state: State, { began }: Moment): boolean {
  return state.status === 'in_progress' && !state.awaited && began >= state.until + ms + slackMs;
}

function isSeen(state: State, answer: Answer): boolean {
  return answer.is === 'seen' && answer.status === state.status && answer.holder === state.holder;
}

function isSame(a: Answer, b: Answer): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
