import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import type { Status } from '../../../src/features/board/task.ts';
import { useCards } from '../board/cards.ts';
import { useOpenTask } from '../frame/place.ts';
import type { HubEvent } from '../live/stream.ts';
import { Foreign } from '../parts/foreign.tsx';
import { STATUS_WORDS } from '../parts/status.tsx';
import { useRuns } from '../runs/queries.ts';
import { told, word } from './told.ts';

type SentenceProps = Readonly<{
  event: HubEvent;
  /** Told where the task itself is shown. */
  isAbout?: boolean;
  /** Told where who did it is shown. */
  isBy?: boolean;
  /** To so many other tasks the same was done. */
  others?: number;
}>;

/** The words of an event with its names filled in, each as what it is: a name, a task to open, a run. */
export function Sentence({ event, isAbout = false, isBy = false, others = 0 }: SentenceProps): ReactNode {
  const sentence = told(event);
  if (sentence === undefined) return <span className="text-soft">{event.kind.replaceAll(/[._]/g, ' ')}</span>;
  const said = isBy ? sentence.replace(/^\{(who|agent|from|subject)\} /, '') : sentence;
  return said
    .split(/\{(\w+)\}/)
    .map((part, at) => (
      <Fragment key={at}>
        {at % 2 === 0 ? (
          part
        ) : part === 'thing' ? (
          <Thing {...{ event, isAbout, others }} />
        ) : (
          nameIn(event, part)
        )}
      </Fragment>
    ));
}

function nameIn(event: HubEvent, name: string): ReactNode {
  const { actor, subject, team, data } = event;
  switch (name) {
    case 'who':
      return <Word text={nameOf(actor.id)} />;
    case 'agent':
      return <Word text={nameOf(word(data?.['agentId'], actor.id))} />;
    case 'subject':
      return <Word text={subject} />;
    case 'team':
      return <Word text={team ?? ''} />;
    case 'room':
      return <Word text={subject.replace(/^team:/, '')} />;
    case 'tool':
      return <Word text={word(data?.['tool'])} />;
    case 'column':
      return STATUS_WORDS[word(data?.['to']) as Status] ?? word(data?.['to']);
    case 'from':
      return <Word text={word(data?.['fromAgent'])} />;
    case 'to':
      return <Word text={word(data?.['toAgent'])} />;
    default:
      return <RunLink id={subject} agent={word(data?.['agent'])} />;
  }
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

function Thing({
  event,
  isAbout,
  others,
}: Readonly<{ event: HubEvent; isAbout: boolean; others: number }>): ReactNode {
  if (isAbout) return 'it';
  return (
    <>
      <TaskLink id={event.kind === 'landing.changed' ? word(event.data?.['taskId']) : event.subject} />
      {others > 0 && ` and ${others.toLocaleString()} other tasks`}
    </>
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

function RunLink({ id, agent: named }: Readonly<{ id: string; agent: string }>): ReactNode {
  const { data } = useRuns();
  const agent = data?.tasks.find(({ task_id }) => task_id === id)?.agent ?? named;
  return (
    <Link to="/runs/$runId" params={{ runId: id }} className="text-tide underline-offset-2 hover:underline">
      {agent === '' ? 'a run' : <Foreign text={`the run of ${agent}`} />}
    </Link>
  );
}
