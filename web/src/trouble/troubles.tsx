import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { toolWord } from '../approvals/own-call.ts';
import { useCards } from '../board/cards.ts';
import { TaskLink } from '../board/task-link.tsx';
import { Agent } from '../parts/agent.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Moment } from '../parts/time.tsx';
import { useRuns } from '../runs/queries.ts';
import { titleOf } from '../runs/title.ts';
import type { Trouble } from './trouble.ts';

/** What went wrong, one line each: who, what, why, for which task, and where all of it stands. */
export function Troubles({
  troubles,
  isAbout = false,
}: Readonly<{ troubles: readonly Trouble[]; isAbout?: boolean }>): ReactNode {
  return (
    <ul>
      {troubles.map((trouble) => (
        <li
          key={trouble.id}
          className="border-line flex flex-wrap items-baseline gap-x-2 border-b py-1 last:border-0"
        >
          <Icon name="close" size={13} className="text-amber shrink-0 translate-y-[2px]" />
          <span className="min-w-0 flex-1 basis-64 [overflow-wrap:anywhere]">
            {trouble.kind === 'refused' ? (
              <>
                <Refusal trouble={trouble} />
                {!isAbout && <ForTask id={trouble.task} />}
              </>
            ) : (
              <Ended trouble={trouble} isAbout={isAbout} />
            )}
          </span>
          <span className="text-meta text-faint ml-auto flex shrink-0 items-center gap-2">
            {trouble.times > 1 && <span>{trouble.times} times</span>}
            <Moment at={trouble.at} />
            <Look trouble={trouble} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Refusal({ trouble: { agent, tool, what, why } }: Readonly<{ trouble: Trouble }>): ReactNode {
  return (
    <>
      <Agent name={agent} /> was kept from using <strong className="font-medium">{toolWord(tool)}</strong>{' '}
      <Code text={what} />{' '}
      <span className="text-amber">
        because <Foreign text={why} />
      </span>
    </>
  );
}

/** A run that did not end well, by what it was started for. */
function Ended({
  trouble: { kind, agent, run, task, what },
  isAbout,
}: Readonly<{ trouble: Trouble; isAbout: boolean }>): ReactNode {
  const { data: runs } = useRuns();
  const { data: cards } = useCards();
  // Runs are for who has signed in; what went wrong is for everybody.
  const known = runs?.tasks.find(({ task_id }) => task_id === run);
  return (
    <>
      the run of <Agent name={known?.instance ?? agent.replace(/-[0-9a-f]{6}$/, '')} />
      {isAbout ? null : known ? (
        <>
          {' at '}
          <Link to="/runs/$runId" params={{ runId: run! }} className="in-words">
            <Foreign text={titleOf(known, cards).slice(0, 90).toWellFormed()} />
          </Link>
        </>
      ) : (
        <ForTask id={task} />
      )}{' '}
      <span className="text-amber font-medium">{kind === 'failed' ? 'failed' : 'was lost'}</span>
      {what !== '' && (
        <>
          {': '}
          <Foreign text={shortened(what)} />
        </>
      )}
    </>
  );
}

function Code({ text }: Readonly<{ text: string }>): ReactNode {
  if (text === '') return null;
  return (
    <code className="bg-sunken rounded px-1 font-mono text-[12px]">
      <Foreign text={shortened(text)} />
    </code>
  );
}

const shortened = (text: string) => (text.length > 160 ? `${text.slice(0, 160).toWellFormed()}…` : text);

function ForTask({ id }: Readonly<{ id: string | undefined }>): ReactNode {
  const { data: cards } = useCards();
  const card = id === undefined ? undefined : cards?.get(id);
  if (!card) return null;
  return (
    <>
      {' '}
      at{' '}
      <TaskLink id={card.id}>
        <Foreign text={card.title.slice(0, 90).toWellFormed()} />
      </TaskLink>
    </>
  );
}

function Look({ trouble: { kind, id, run } }: Readonly<{ trouble: Trouble }>): ReactNode {
  if (kind === 'refused')
    return (
      <Link to="/audit" search={{ q: `call:${id}` }} className="quiet">
        Look
      </Link>
    );
  return (
    <Link to="/runs/$runId" params={{ runId: run! }} className="quiet">
      Look
    </Link>
  );
}
