import { calledByPerson } from '../../kernel/person-name.ts';
import type { Event } from '../../kernel/event.ts';
import { replaceUnseen } from '../../kernel/unseen.ts';

/** What a person should hear of. Made of kinds, ids and names: no text of a task, a message or a call leaves the machine. */
export const KINDS = [
  'approval',
  'question',
  'done',
  'stuck',
  'lapsed',
  'overdue',
  'source',
  'mail',
  'budget',
  'refused',
  'failed',
] as const;
type NoticeKind = (typeof KINDS)[number];

export type Notice = Readonly<{
  kind: NoticeKind;
  /** One sentence for people. */
  text: string;
  subject: string;
  team: string | undefined;
  at: number;
  /** The number of the event: a receiver that sees it twice has seen it. */
  seq: number;
  actions?: NoticeActions;
}>;

/** What can be done from afar: look at it, or say no. A yes is given on the machine, where all of it can be seen. */
export type NoticeActions = Readonly<{
  open: Readonly<{ url: string }>;
  deny: Readonly<{ url: string; method: 'POST' }>;
}>;

/** The address of the person at the hub, as rooms write it. */
const PERSON = 'user';

export function noticeOf(event: Event): Notice | undefined {
  const said = sentenceOf(event);
  if (!said) return undefined;
  const { subject, team, at, seq } = event;
  return { ...said, subject, team, at, seq };
}

function sentenceOf({ kind, subject, actor, data = {} }: Event): Pick<Notice, 'kind' | 'text'> | undefined {
  const task = `Task ${subject.slice(-8)}`;
  if (kind === 'approval.requested')
    return {
      kind: 'approval',
      text: `${named(data['tool'])} waits for your decision (${subject.slice(-8)}).`,
    };
  if (kind === 'run.changed' && data['reason'] === 'waiting_input')
    return { kind: 'question', text: `Run ${subject.slice(-8)} has a question and waits for the answer.` };
  if (kind === 'tool.refused')
    return {
      kind: 'refused',
      text: `${named(data['agentId'])} was kept from using ${named(data['tool'])}: ${named(data['reason'])}.`,
    };
  if (kind === 'run.ended' && (data['state'] === 'failed' || data['state'] === 'expired'))
    return {
      kind: 'failed',
      text: `Run ${subject.slice(-8)} of ${named(data['agent'])} ${data['state'] === 'failed' ? 'failed' : 'was lost'}.`,
    };
  if (kind === 'task.status_changed' && data['to'] === 'done')
    return { kind: 'done', text: `${task} is done, by ${named(calledByPerson(actor.id))}.` };
  if (kind === 'task.status_changed' && data['to'] === 'blocked')
    return {
      kind: 'stuck',
      text: `${task} is blocked, say${actor.id === calledByPerson(actor.id) ? 's' : ''} ${named(calledByPerson(actor.id))}.`,
    };
  if (kind === 'task.released' && data['via'] === 'lapse')
    return { kind: 'lapsed', text: `${task} is free again: ${named(data['agentId'])} went silent.` };
  if (kind === 'task.overdue') return { kind: 'overdue', text: `${task} was due on ${named(data['due'])}.` };
  if (kind === 'source.listed' && Number(data['changed']) > 0)
    return {
      kind: 'source',
      text: `The source ${named(subject)} changed ${String(data['changed'])} of its tools; they wait for your approval.`,
    };
  if (kind === 'budget.near')
    return {
      kind: 'budget',
      text: `${data['what'] === 'run' ? `Run ${subject.slice(-8)}` : `The project ${named(subject)}`} has spent ${String(data['percent'])} % of its budget.`,
    };
  if (kind === 'schedule.failed')
    return {
      kind: 'failed',
      text: `Schedule ${String(data['scheduleId']).slice(-8)} could not start its run.`,
    };
  if (kind === 'peer.message_queued' && data['toAgent'] === PERSON)
    return { kind: 'mail', text: `${named(data['fromAgent'])} wrote to you.` };
  return undefined;
}

/** Names are what agents call themselves: nothing in one may steer a terminal or turn what stands beside it. */
function named(name: unknown): string {
  return replaceUnseen(String(name), () => '\ufffd').slice(0, MOST_NAME);
}

const MOST_NAME = 100;
