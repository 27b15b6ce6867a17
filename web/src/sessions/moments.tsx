import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Command, Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign, Quoted } from '../parts/foreign.tsx';
import { Moment } from '../parts/time.tsx';
import { type SessionMoment, useMoments } from './queries.ts';
import { useTitleOf } from './title.ts';

/** What was found, each with the turns around it; `file:` answers who touched a file and why. */
export function Moments({
  query,
  project,
}: Readonly<{ query: string; project: string | undefined }>): ReactNode {
  const { data, error } = useMoments(query, project);
  if (error) return <Refused error={error} />;
  if (!data) return <Skeleton />;
  return (
    <>
      {data.notes.map((note) => (
        <p key={note} className="text-soft px-4 pb-2">
          {note}
        </p>
      ))}
      {data.moments.length === 0 ? (
        <Empty title="Nothing was found">Other words may find it, or another project.</Empty>
      ) : (
        <ol>
          {data.moments.map((moment) => (
            <Found key={`${moment.sessionId} ${moment.turn}`} moment={moment} />
          ))}
        </ol>
      )}
    </>
  );
}

const MOST = 600;

export function Found({
  moment,
  children,
}: Readonly<{ moment: SessionMoment; children?: ReactNode }>): ReactNode {
  const { sessionId, turn, client, project, folder, title, at, before, after, resume, text } = moment;
  const titleOf = useTitleOf();
  return (
    <li className="border-line flex flex-col gap-1.5 border-b px-4 py-3">
      <div className="text-meta text-soft flex flex-wrap items-center gap-x-3">
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId }}
          search={(now) => ({ ...now, at: String(turn) })}
          className="text-tide min-w-0 truncate underline"
        >
          <Foreign text={titleOf(title, sessionId)} />
        </Link>
        <span>{client}</span>
        <Foreign text={project ?? folder ?? ''} />
        <Moment at={at} />
        {children}
      </div>
      {before.map((each) => (
        <Near key={each.turn} turn={each} />
      ))}
      <Quoted by={who(moment)}>
        <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">
          <Foreign text={text.slice(0, MOST)} />
          {text.length > MOST && ' …'}
        </p>
      </Quoted>
      {after.map((each) => (
        <Near key={each.turn} turn={each} />
      ))}
      {resume !== null && <Command text={resume} label="Copy the line that resumes it" />}
    </li>
  );
}

export const who = ({ kind, tool }: Readonly<{ kind: string; tool?: string | undefined }>): string =>
  tool === undefined ? kind : `${kind} ${tool}`;

function Near({ turn }: Readonly<{ turn: SessionMoment['before'][number] }>): ReactNode {
  return (
    <p className="text-faint truncate pl-3">
      {who(turn)}: <Foreign text={turn.text.replace(/\s+/g, ' ')} />
    </p>
  );
}
