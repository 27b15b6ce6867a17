import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Status } from '../../../src/features/board/task.ts';
import { useCards } from '../board/cards.ts';
import { useOpenTask } from '../frame/place.ts';
import type { HubEvent } from '../live/stream.ts';
import { Foreign } from '../parts/foreign.tsx';
import { STATUS_WORDS } from '../parts/status.tsx';
import { useRuns } from '../runs/queries.ts';

/** What happened, as somebody would say it. Undefined: too small to tell. */
type Told = (parts: Parts) => ReactNode;
type Parts = Readonly<{
  event: HubEvent;
  data: Record<string, unknown>;
  who: ReactNode;
  agent: ReactNode;
  thing: ReactNode;
}>;

const TOLD: Readonly<Record<string, Told>> = {
  'task.created': ({ who, thing }) => (
    <>
      {who} put {thing} on the board
    </>
  ),
  'task.claimed': ({ agent, thing, data }) =>
    data['takeover'] === true ? (
      <>
        {agent} took over {thing}: the lease before had run out
      </>
    ) : (
      <>
        {agent} took {thing}
      </>
    ),
  'task.assigned': ({ who, agent, thing }) => (
    <>
      {who} gave {thing} to {agent}
    </>
  ),
  'task.taken_up': ({ agent, thing }) => (
    <>
      {agent} took up {thing}
    </>
  ),
  'task.released': ({ agent, thing, data }) =>
    data['via'] === 'lapse' ? (
      <>
        the lease of {agent} ran out; {thing} is free again
      </>
    ) : (
      <>
        {agent} gave {thing} back
      </>
    ),
  'task.status_changed': ({ who, thing, data }) => {
    const [from, to] = [word(data['from']) as Status, word(data['to']) as Status];
    if (from === 'todo' && to === 'in_progress') return undefined;
    if (to === 'done')
      return (
        <>
          {who} finished {thing}
        </>
      );
    if (to === 'in_review')
      return (
        <>
          {who} handed in {thing} for review
        </>
      );
    if (to === 'blocked')
      return (
        <>
          {who} is stuck on {thing}
        </>
      );
    if (from === 'in_review' && to === 'in_progress')
      return (
        <>
          {who} sent {thing} back
        </>
      );
    return (
      <>
        {who} moved {thing} to {STATUS_WORDS[to] ?? to}
      </>
    );
  },
  'task.commented': ({ who, thing, data }) =>
    data['authorType'] === 'system' ? undefined : (
      <>
        {who} said something about {thing}
      </>
    ),
  'task.updated': ({ who, thing }) => (
    <>
      {who} edited {thing}
    </>
  ),
  'task.dropped': ({ who, thing }) => (
    <>
      {who} took {thing} off the board
    </>
  ),
  'task.linked': ({ who, thing }) => (
    <>
      {who} made {thing} wait for another task
    </>
  ),
  'task.check_added': ({ who, thing }) => (
    <>
      {who} added a check to {thing}
    </>
  ),
  'task.evidence_given': ({ who, thing, data }) => (
    <>
      {who} gave evidence for {thing}: {data['passed'] === true ? 'passed' : 'failed'}
    </>
  ),
  'task.overridden': ({ who, thing }) => (
    <>
      {who} accepted {thing} against its checks
    </>
  ),
  'approval.requested': ({ who, data }) => (
    <>
      {who} asks for permission
      {data['tool'] ? (
        <>
          {' '}
          to use <Word text={word(data['tool'])} />
        </>
      ) : (
        ''
      )}
    </>
  ),
  'approval.resolved': ({ who }) => <>{who} decided a request</>,
  'approval.expired': () => <>a request for permission ran out</>,
  'grant.made': ({ who, data }) => (
    <>
      {who} allowed <Word text={word(data['tool'], 'a tool')} /> from now on
    </>
  ),
  'grant.revoked': ({ who }) => <>{who} revoked a grant</>,
  'task.unlinked': ({ who, thing }) => (
    <>
      {who} let {thing} wait for one task less
    </>
  ),
  'task.labelled': ({ who, thing }) => (
    <>
      {who} labelled {thing}
    </>
  ),
  'task.archived': ({ who, thing }) => (
    <>
      {who} put {thing} out of sight
    </>
  ),
  'task.unarchived': ({ who, thing }) => (
    <>
      {who} put {thing} back into sight
    </>
  ),
  'task.reopened': ({ who, thing }) => (
    <>
      {who} reopened {thing}
    </>
  ),
  'task.undone': ({ who, thing }) => (
    <>
      {who} took back a change to {thing}
    </>
  ),
  'task.imported': ({ who, thing }) => (
    <>
      {who} brought {thing} from an archive
    </>
  ),
  'seat.taken': ({ event }) => (
    <>
      <Word text={event.subject} /> came aboard{event.team !== undefined && `, in ${event.team}`}
    </>
  ),
  'seat.left': ({ event }) => (
    <>
      <Word text={event.subject} /> left
    </>
  ),
  'memory.saved': ({ who }) => <>{who} remembered something</>,
  'memory.superseded': ({ who }) => <>{who} corrected a fact</>,
  'memory.forgotten': ({ who }) => <>{who} forgot a fact for good</>,
  'memory.withheld': ({ who }) => <>{who} forgot a fact, which can be taken back for a day</>,
  'memory.restored': ({ who }) => <>{who} took back a forgetting</>,
  'procedure.forgotten': ({ who }) => <>{who} forgot how something is done</>,
  'policy.changed': ({ who }) => <>{who} changed the policy</>,
  'budget.near': ({ event, data }) => (
    <>{data['what'] === 'run' ? 'a run' : `project ${event.subject}`} has spent four fifths of its budget</>
  ),
  'keys.rotated': ({ who }) => <>{who} made new keys</>,
  'procedure.saved': ({ who }) => <>{who} wrote down how something is done</>,
  'chat.posted': ({ who, event }) => (
    <>
      {who} posted in {event.subject.replace(/^team:/, 'the room of ')}
    </>
  ),
  'peer.message_queued': ({ data }) => (
    <>
      <Word text={word(data['fromAgent'])} /> wrote to <Word text={word(data['toAgent'])} />
    </>
  ),
  'peer.message_expired': ({ data }) => (
    <>
      a letter to <Word text={word(data['toAgent'], 'somebody')} /> was never fetched
    </>
  ),
  'peer.registered': ({ who }) => <>{who} is on the mesh</>,
  'project.created': ({ event }) => <>a project was found: {event.subject}</>,
  'brain.compacted': () => <>the brain was tidied</>,
  'token.created': ({ who }) => <>{who} made a token</>,
  'token.revoked': ({ who }) => <>{who} revoked a token</>,
  'source.listed': ({ event }) => <>source {event.subject} listed its tools</>,
  'source.failing': ({ event }) => <>source {event.subject} is failing</>,
  'source.approved': ({ who, event }) => (
    <>
      {who} approved tools of {event.subject}
    </>
  ),
  'run.started': ({ event }) => (
    <>
      <RunLink id={event.subject} /> began
    </>
  ),
  'run.ended': ({ event, data }) => (
    <>
      <RunLink id={event.subject} /> {ENDS[word(data['state'])] ?? 'ended'}
    </>
  ),
  'hub.started': () => <>the hub started</>,
};

const ENDS: Readonly<Record<string, string>> = {
  done: 'is done',
  failed: 'failed',
  cancelled: 'was cancelled',
  expired: 'was lost',
};

/** What the hub says in a room repeats what happened on the board. */
export function isTold(event: HubEvent): boolean {
  if (event.kind === 'chat.posted' && (event.actor.id === 'system' || event.data?.['kind'] === 'system'))
    return false;
  return (
    event.kind in TOLD &&
    !(
      event.kind === 'task.status_changed' &&
      event.data?.['from'] === 'todo' &&
      event.data['to'] === 'in_progress'
    ) &&
    !(event.kind === 'task.commented' && event.data?.['authorType'] === 'system')
  );
}

export function Sentence({
  event,
  isAbout = false,
}: Readonly<{ event: HubEvent; isAbout?: boolean }>): ReactNode {
  const data = (event.data ?? {}) as Record<string, unknown>;
  const who = <Word text={nameOf(event.actor.id)} />;
  const agent = <Word text={nameOf(word(data['agentId'], event.actor.id))} />;
  const thing = isAbout ? 'it' : <TaskLink id={event.subject} />;
  return (
    TOLD[event.kind]?.({ event, data, who, agent, thing }) ?? (
      <span className="text-soft">{event.kind.replaceAll(/[._]/g, ' ')}</span>
    )
  );
}

/** The person at the hub is the one who reads this. */
function nameOf(id: string): string {
  if (id === 'local' || id === 'operator') return 'you';
  return id === 'system' ? 'the hub' : id;
}

function Word({ text }: Readonly<{ text: string }>): ReactNode {
  return (
    <span className="font-medium">
      <Foreign text={text} />
    </span>
  );
}

function TaskLink({ id }: Readonly<{ id: string }>): ReactNode {
  const { data: cards } = useCards();
  const [, open] = useOpenTask();
  const title = cards?.get(id)?.title;
  if (title === undefined) return <span className="text-soft">a task that is gone</span>;
  return (
    <button className="text-tide text-left underline-offset-2 hover:underline" onClick={() => open(id)}>
      <Foreign text={title.length > 90 ? `${title.slice(0, 90).toWellFormed()}…` : title} />
    </button>
  );
}

function RunLink({ id }: Readonly<{ id: string }>): ReactNode {
  const { data } = useRuns();
  const agent = data?.tasks.find(({ task_id }) => task_id === id)?.agent;
  return (
    <Link to="/runs/$runId" params={{ runId: id }} className="text-tide underline underline-offset-2">
      {agent === undefined ? 'a run' : <Foreign text={`the run of ${agent}`} />}
    </Link>
  );
}

/** Events carry names and numbers; anything else says nothing. */
function word(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}
