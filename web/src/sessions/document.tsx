import { useEffect, useRef, type ReactNode } from 'react';
import { usePlace } from '../frame/place.ts';
import { Drawer } from '../parts/drawer.tsx';
import { Command, Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign, Quoted } from '../parts/foreign.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { Moment } from '../parts/time.tsx';
import { who } from './moments.tsx';
import { type SessionTurn, useSession } from './queries.ts';
import { useTitleOf } from './title.ts';

/** A session as a document: what people and agents said stands open, what tools did is folded. */
export function SessionDrawer({ id, onClose }: Readonly<{ id: string; onClose(): void }>): ReactNode {
  const { at } = usePlace();
  const titleOf = useTitleOf();
  const wanted = at !== undefined && /^\d{1,9}$/.test(at) ? Number(at) : undefined;
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useSession(id, wanted);
  const first = data?.pages[0];
  const session = first?.session;
  const turns = data?.pages.flatMap((page) => page.turns) ?? [];
  return (
    <Drawer
      label="Session"
      onClose={onClose}
      isWide
      head={
        session && (
          <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3">
            <h2 className="text-title min-w-0 truncate font-semibold">
              <Foreign text={titleOf(session.title, session.clientId)} />
            </h2>
            <span className="text-meta text-soft flex flex-wrap gap-x-3">
              <span>{session.client}</span>
              {session.model !== null && <Foreign text={session.model} />}
              {session.branch !== null && <Foreign text={session.branch} />}
              <Moment at={session.endedAt} />
            </span>
          </div>
        )
      }
    >
      {error && <Refused error={error} />}
      {!data && !error && <Skeleton />}
      {first && first.resume !== null && (
        <Command text={first.resume} label="Copy the line that resumes it" />
      )}
      <ol className="mt-3 flex flex-col gap-3">
        {turns.map((turn) => (
          <Turn key={turn.turn} turn={turn} isWanted={turn.turn === wanted} />
        ))}
      </ol>
      {hasNextPage && (
        <button className="button mt-4" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </button>
      )}
    </Drawer>
  );
}

const SPOKEN = new Set(['person', 'agent']);

function Turn({ turn, isWanted }: Readonly<{ turn: SessionTurn; isWanted: boolean }>): ReactNode {
  const box = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isWanted) box.current?.scrollIntoView({ block: 'center' });
  }, [isWanted]);
  return (
    <li ref={box} className={isWanted ? 'bg-chosen rounded-one py-1' : ''}>
      <Quoted
        by={
          <>
            <span className={turn.isError ? 'text-amber' : ''}>
              {who(turn)}
              {turn.isError && ' (error)'}
            </span>
            <Moment at={turn.at} />
          </>
        }
      >
        {SPOKEN.has(turn.kind) ? <Markdown text={turn.text} /> : <Folded turn={turn} isOpen={isWanted} />}
      </Quoted>
    </li>
  );
}

function Folded({ turn, isOpen }: Readonly<{ turn: SessionTurn; isOpen: boolean }>): ReactNode {
  const [line = ''] = turn.text.split('\n');
  const args = turn.args === undefined ? '' : `\n\n${JSON.stringify(turn.args, undefined, 1)}`;
  return (
    <details open={isOpen || turn.kind === 'diff'}>
      <summary className="text-soft cursor-pointer truncate">
        <Foreign text={line} />
      </summary>
      <pre
        tabIndex={0}
        className="bg-sunken rounded-one mt-1 px-2.5 py-1.5 font-mono text-[12px] whitespace-pre-wrap [overflow-wrap:anywhere]"
      >
        <Foreign text={`${turn.text}${args}`} />
        {turn.cut && '\n…'}
      </pre>
    </details>
  );
}
