import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { useCards, type Card } from '../board/cards.ts';
import { useOpenTask } from '../frame/place.ts';
import { useNow } from '../parts/clock.ts';
import { Foreign } from '../parts/foreign.tsx';
import { StatusMark } from '../parts/status.tsx';
import { Moment } from '../parts/time.tsx';
import { useRuns, type Run } from '../runs/queries.ts';
import { RunState } from '../runs/state.tsx';
import { titleOf } from '../runs/title.ts';
import { Block } from './block.tsx';
import { CardName } from '../board/card.tsx';
import { isOf } from '../frame/of-project.ts';

const SHOWN = 5;

/** What came to a good end since midnight: tasks that are done, and runs that belonged to none. */
export function Finished({ project }: Readonly<{ project: string | undefined }>): ReactNode {
  const { data: cards } = useCards();
  const { data: runs } = useRuns();
  const today = new Date(useNow()).setHours(0, 0, 0, 0);
  const ends = useMemo(() => {
    const done = [...(cards?.values() ?? [])]
      .filter(
        ({ status, completedAt, teamId }) =>
          status === 'done' && (completedAt ?? 0) >= today && isOf(project, teamId),
      )
      .map((card) => ({ at: card.completedAt!, card, run: undefined }));
    const over = (runs?.tasks ?? [])
      .filter((run) => isOf(project, run.project))
      .filter((run) => run.status === 'done' && run.board_task === undefined && endOf(run) >= today)
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
  const { data: cards } = useCards();
  return (
    <li className="row min-h-7">
      <RunState run={run} />
      <Link
        to="/runs/$runId"
        params={{ runId: run.task_id }}
        className="min-w-0 truncate underline-offset-2 hover:underline"
      >
        <Foreign text={titleOf(run, cards)} />
      </Link>
      <span className="text-meta text-faint ml-auto shrink-0">
        <Foreign text={run.instance} /> <Moment at={run.closed_at!} />
      </span>
    </li>
  );
}
