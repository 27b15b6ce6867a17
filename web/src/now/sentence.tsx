import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import type { Status } from '../../../src/features/board/task.ts';
import { toolWord } from '../approvals/own-call.ts';
import { useCards } from '../board/cards.ts';
import { TaskLink } from '../board/task-link.tsx';
import type { HubEvent } from '../live/stream.ts';
import { shownName } from '../parts/agent.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { STATUS_WORDS } from '../parts/status.tsx';
import { useRuns } from '../runs/queries.ts';
import { titleOf } from '../runs/title.ts';
import { told, word } from './told.ts';

type SentenceProps = Readonly<{
  event: HubEvent;
  /** Told where the task itself is shown. */
  isAbout?: boolean;
  /** Told where who did it is shown. */
  isBy?: boolean;
  /** To so many other tasks the same was done. */
  others?: number;
  /** And to more of them, before what is known here. */
  isCut?: boolean;
}>;

/** The words of an event with its names filled in, each as what it is: a name, a task to open, a run. */
export function Sentence({
  event,
  isAbout = false,
  isBy = false,
  others = 0,
  isCut = false,
}: SentenceProps): ReactNode {
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
          <Thing {...{ event, isAbout, others, isCut }} />
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
      return (
        <Link to="/rooms/$roomId" params={{ roomId: subject }} className="in-words">
          <Foreign text={subject.replace(/^team:/, '')} />
        </Link>
      );
    case 'tool':
      return <Word text={toolWord(word(data?.['tool']))} />;
    case 'call':
      return (
        <Link to="/audit" search={{ q: `call:${subject}` }} className="in-words">
          <Foreign text={toolWord(word(data?.['tool']))} />
        </Link>
      );
    case 'fact':
      return (
        <Link to="/memory" search={{ at: subject }} className="in-words">
          a fact
        </Link>
      );
    case 'procedure':
      return (
        <Link to="/memory" search={{ view: 'procedures' }} className="in-words">
          how something is done
        </Link>
      );
    case 'proposal':
      return (
        <Link to="/memory" search={{ view: 'proposals' }} className="in-words">
          for memory
        </Link>
      );
    case 'mailbox':
      return (
        <Link to="/mail" search={{ at: word(data?.['toAgent']) }} className="in-words">
          <Foreign text={word(data?.['toAgent'])} />
        </Link>
      );
    case 'collision':
      return (
        <Link to="/landing" className="in-words">
          {word(data?.['a']) === '' || word(data?.['b']) === '' ? 'two branches' : 'the branches'}
        </Link>
      );
    case 'task':
    case 'a':
    case 'b':
      return <NamedTask id={word(data?.[name])} />;
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
  return id === 'system' ? 'the hub' : shownName(id);
}

function Word({ text }: Readonly<{ text: string }>): ReactNode {
  return (
    <span className="font-medium">
      <Foreign text={text} />
    </span>
  );
}

function Thing({ event, isAbout, others, isCut }: Required<Omit<SentenceProps, 'isBy'>>): ReactNode {
  if (isAbout) return 'it';
  return (
    <>
      <NamedTask id={event.kind === 'landing.changed' ? word(event.data?.['taskId']) : event.subject} />
      {others > 0 && ` and ${isCut ? 'at least ' : ''}${others.toLocaleString()} other tasks`}
    </>
  );
}

function NamedTask({ id }: Readonly<{ id: string }>): ReactNode {
  const { data: cards } = useCards();
  const title = cards?.get(id)?.title;
  if (title === undefined) return <span className="text-soft">a task that is gone</span>;
  return (
    <TaskLink id={id}>
      <Foreign text={shortened(title)} />
    </TaskLink>
  );
}

/** Whose run, and what it was started for. */
function RunLink({ id, agent: named }: Readonly<{ id: string; agent: string }>): ReactNode {
  const { data } = useRuns();
  const { data: cards } = useCards();
  const run = data?.tasks.find(({ task_id }) => task_id === id);
  const agent = run?.instance ?? named;
  const name = agent === '' ? 'a run' : `the run of ${agent}`;
  return (
    <>
      {run && <Foreign text={`${name} at `} />}
      <Link to="/runs/$runId" params={{ runId: id }} className="in-words">
        <Foreign text={run ? shortened(titleOf(run, cards)) : name} />
      </Link>
    </>
  );
}

const shortened = (text: string) => (text.length > 90 ? `${text.slice(0, 90).toWellFormed()}…` : text);
