import type { Event as HubEvent } from '../../../src/kernel/event.ts';

/**
 * What happened, as somebody would say it. `{who}` did it, `{agent}` it happened to, `{thing}` is the task it is about;
 * the others are names in the event. Undefined: too small to tell.
 */
type Told = string | ((event: HubEvent) => string | undefined);

const TOLD: Readonly<Record<string, Told>> = {
  'task.created': '{who} put {thing} on the board',
  'task.claimed': ({ data }) =>
    data?.['takeover'] === true
      ? '{agent} took over {thing}: the lease before had run out'
      : '{agent} took {thing}',
  'task.assigned': '{who} gave {thing} to {agent}',
  'task.taken_up': '{agent} took up {thing}',
  'task.released': ({ data }) =>
    data?.['via'] === 'lapse'
      ? 'the lease of {agent} ran out; {thing} is free again'
      : '{agent} gave {thing} back',
  'task.status_changed': ({ data }) => moved(word(data?.['from']), word(data?.['to'])),
  'task.commented': ({ data }) =>
    data?.['authorType'] === 'system' ? undefined : '{who} said something about {thing}',
  'task.updated': '{who} edited {thing}',
  'task.dropped': '{who} took {thing} off the board',
  'task.linked': '{who} made {thing} wait for another task',
  'task.unlinked': '{who} let {thing} wait for one task less',
  'task.check_added': '{who} added a check to {thing}',
  'task.evidence_given': ({ data }) =>
    `{who} gave evidence for {thing}: ${data?.['passed'] === true ? 'passed' : 'failed'}`,
  'task.overdue': ({ data }) => `{thing} was due on ${word(data?.['due'])}`,
  'task.overridden': '{who} accepted {thing} against its checks',
  'task.labelled': '{who} labelled {thing}',
  'task.placed': '{who} moved {thing} among others',
  'task.archived': '{who} put {thing} out of sight',
  'task.unarchived': '{who} put {thing} back into sight',
  'task.reopened': '{who} reopened {thing}',
  'task.undone': '{who} took back a change to {thing}',
  'task.imported': '{who} brought {thing} from an archive',
  'approval.requested': ({ data }) =>
    word(data?.['tool']) === '' ? '{who} asks for permission' : '{who} asks for permission to use {tool}',
  'approval.resolved': ({ data }) => DECIDED[word(data?.['decision'])] ?? '{who} decided a request',
  'approval.expired': ({ data }) =>
    word(data?.['agentId']) === ''
      ? 'a request for permission ran out before anybody decided'
      : 'nobody decided in time whether {agent} may use {tool}',
  'grant.made': ({ data }) =>
    `{who} allowed ${word(data?.['tool']) === '' ? 'a tool' : '{tool}'} from now on`,
  'grant.revoked': '{who} revoked a grant',
  'policy.changed': '{who} changed the policy',
  'tool.refused': ({ data }) =>
    `{agent} was kept from using {call}${word(data?.['task']) === '' ? '' : ' at {task}'}`,
  'budget.near': ({ data }) =>
    `${data?.['what'] === 'run' ? 'a run' : 'project {subject}'} has spent four fifths of its budget`,
  'seat.taken': ({ team }) =>
    team === undefined ? '{subject} came aboard' : '{subject} came aboard, in {team}',
  'seat.left': '{subject} left',
  'memory.saved': '{who} remembered {fact}',
  'memory.superseded': '{who} corrected a fact',
  'memory.forgotten': '{who} forgot a fact for good',
  'memory.withheld': '{who} forgot a fact, which can be taken back for a day',
  'memory.cited': 'code was found that a fact is about',
  'memory.confirmed': '{who} confirmed {fact}',
  'memory.refuted': '{who} refuted {fact}',
  'lesson.offered': 'a moment of a session is offered {proposal}',
  'lesson.accepted': '{who} took over a lesson',
  'lesson.rejected': '{who} rejected what was offered for memory',
  'memory.restored': '{who} took back a forgetting',
  'procedure.saved': '{who} wrote down {procedure}',
  'procedure.forgotten': '{who} forgot how something is done',
  // What the hub says in a room repeats what happened on the board.
  'chat.posted': ({ actor, data, subject }) =>
    actor.id === 'system' || data?.['kind'] === 'system'
      ? undefined
      : `{who} posted in ${subject.startsWith('team:') ? 'the room of {room}' : '{room}'}`,
  'peer.message_queued': '{from} wrote to {mailbox}',
  'peer.message_expired': ({ data }) =>
    `a letter to ${word(data?.['toAgent']) === '' ? 'somebody' : '{to}'} was never fetched`,
  'peer.registered': '{who} is on the mesh',
  'project.created': 'a project was found: {subject}',
  'brain.compacted': 'the brain was tidied',
  'keys.rotated': '{who} made new keys',
  // A run gets one with its beginning and loses it with its end.
  'token.created': ({ actor }) => (isOfMachine(actor.id) ? undefined : '{who} made a token'),
  'token.revoked': ({ actor }) => (isOfMachine(actor.id) ? undefined : '{who} revoked a token'),
  'source.listed': 'source {subject} listed its tools',
  'source.failing': 'source {subject} is failing',
  'source.approved': '{who} approved tools of {subject}',
  'source.rejected': '{who} rejected tools of {subject}',
  'source.undone': '{who} took back a decision on tools of {subject}',
  'run.started': '{run} began',
  'run.ended': ({ data }) => `{run} ${ENDS[word(data?.['state'])] ?? 'ended'}`,
  'landing.changed': ({ data }) => LANDED[word(data?.['state'])],
  'collision.found': ({ data }) =>
    word(data?.['a']) === '' || word(data?.['b']) === ''
      ? '{collision} do not go together'
      : '{collision} of {a} and {b} do not go together',
  'review.commented': '{who} said something about lines of {thing}',
  'review.decided': '{who} decided a review of {thing}',
  'hub.started': 'the hub started',
};

const isOfMachine = (actor: string) => actor === 'system' || /-[0-9a-f]{6}$/.test(actor);

const DECIDED: Readonly<Record<string, string>> = {
  allow_once: '{who} let {agent} use {tool}',
  allow_always: '{who} let {agent} use {tool} from now on',
  deny: '{who} did not let {agent} use {tool}',
};

const LANDED: Readonly<Record<string, string>> = {
  waiting_person: '{thing} waits for you to let it land',
  landed: '{thing} landed',
  failed: '{thing} did not land: a check failed',
  conflict: '{thing} did not land: it conflicts with its target',
};

const ENDS: Readonly<Record<string, string>> = {
  done: 'is done',
  failed: 'failed',
  cancelled: 'was cancelled',
  expired: 'was lost',
};

const BAD: ReadonlySet<string> = new Set([
  'tool.refused',
  'collision.found',
  'memory.refuted',
  'source.failing',
  'approval.expired',
]);

/** What was refused, failed or lost stands out among what went well. */
export function isBad({ kind, data }: HubEvent): boolean {
  return (
    BAD.has(kind) ||
    (kind === 'run.ended' && /^(failed|expired)$/.test(word(data?.['state']))) ||
    (kind === 'landing.changed' && /^(failed|conflict)$/.test(word(data?.['state'])))
  );
}

/** The sentence of an event, with its names still to be filled in. */
export function told(event: HubEvent): string | undefined {
  const found = TOLD[event.kind];
  return typeof found === 'function' ? found(event) : found;
}

export function isTold(event: HubEvent): boolean {
  return told(event) !== undefined;
}

function moved(from: string, to: string): string | undefined {
  if (from === 'todo' && to === 'in_progress') return undefined;
  if (from === 'in_review' && to === 'in_progress') return '{who} sent {thing} back';
  if (to === 'done') return '{who} finished {thing}';
  if (to === 'in_review') return '{who} handed in {thing} for review';
  if (to === 'blocked') return '{who} is stuck on {thing}';
  return '{who} moved {thing} to {column}';
}

/** Events carry names and numbers; anything else says nothing. */
export function word(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}
