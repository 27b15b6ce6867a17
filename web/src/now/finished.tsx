import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { useCards, type Card } from '../board/cards.ts';
import { useOpenTask } from '../frame/place.ts';
import { Agent } from '../parts/agent.tsx';
import { useNow } from '../parts/clock.ts';
import { Foreign } from '../parts/foreign.tsx';
import { StatusMark } from '../parts/status.tsx';
import { Moment } from '../parts/time.tsx';
import { useRuns, type Run } from '../runs/queries.ts';
import { isOpen, RunState } from '../runs/state.tsx';
import { Block } from './block.tsx';
import { CardName } from '../board/card.tsx';

const SHOWN = 5;

/** What came to its end since midnight: tasks that are done, and runs that belonged to none. */
export function Finished({ project }: Readonly<{ project: string | undefined }>): ReactNode {
  const { data: cards } = useCards();
  const { data: runs } = useRuns();
  const today = new Date(useNow()).setHours(0, 0, 0, 0);
  const ends = useMemo(() => {
    const done = [...(cards?.values() ?? [])]
      .filter(
        ({ status, completedAt, teamId }) =>
          status === 'done' && (completedAt ?? 0) >= today && (project === undefined || teamId === project),
      )
      .map((card) => ({ at: card.completedAt!, card, run: undefined }));
    const over = (project === undefined ? (runs?.tasks ?? []) : [])
      .filter((run) => !isOpen(run) && run.board_task === undefined && endOf(run) >= today)
      .map((run) => ({ at: endOf(run), card: undefined, run }));
    return [...done, ...over].sort((a, b) => b.at - a.at);
  }, [cards, runs, project, today]);
  if (ends.length === 0) return null;
  return (
    <Block
      title="Finished today"
      aside={
        ends.length > SHOWN ? (
          <Link to="/board" search={{ q: 'status:done' }} className="hover:underline">
            all {ends.length}
          </Link>
        ) : undefined
      }
    >
      <ul>
        {ends
          .slice(0, SHOWN)
          .map(({ card, run }) =>
            card ? <DoneTask key={card.id} card={card} /> : <EndedRun key={run.task_id} run={run} />,
          )}
      </ul>
    </Block>
  );
}

const endOf = ({ closed_at: closed }: Run) => (closed === undefined ? 0 : Date.parse(closed));

function DoneTask({ card }: Readonly<{ card: Card }>): ReactNode {
  const [, open] = useOpenTask();
  return (
    <li className="row min-h-7">
      <StatusMark status="done" />
      <CardName card={card} onOpen={open} />
      <span className="text-meta text-faint ml-auto shrink-0">
        {card.assigneeAgentId !== null && <Foreign text={card.assigneeAgentId} />}{' '}
        <Moment at={card.completedAt!} />
      </span>
    </li>
  );
}

function EndedRun({ run }: Readonly<{ run: Run }>): ReactNode {
  return (
    <li className="row min-h-7">
      <RunState run={run} />
      <Link
        to="/runs/$runId"
        params={{ runId: run.task_id }}
        className="flex min-w-0 gap-2 underline-offset-2 hover:underline"
      >
        <Agent name={run.agent} />
        <span className="text-soft truncate">
          <Foreign text={run.error?.text ?? run.last_message ?? ''} />
        </span>
      </Link>
      <span className="ml-auto shrink-0">
        <Moment at={run.closed_at!} />
      </span>
    </li>
  );
}
