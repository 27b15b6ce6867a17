import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask } from '../api/call.ts';
import { Agent } from '../parts/agent.tsx';
import { Empty, Refused } from '../parts/empty.tsx';
import { Table } from '../parts/page.tsx';
import { Project } from '../parts/project.tsx';
import { StatusMark } from '../parts/status.tsx';
import { Moment } from '../parts/time.tsx';
import { Unready } from '../parts/unready.tsx';
import type { Card } from './cards.ts';
import { useShelve } from './queries.ts';
import { CardName } from './card.tsx';
import { isOf } from '../frame/of-project.ts';
import { afresh } from '../frame/place.ts';

/** What was put out of sight: the newest of it, and the way back. */
export function Shelf({
  project,
  onOpen,
}: Readonly<{ project: string | undefined; onOpen(id: string): void }>): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['archived'],
    queryFn: () => ask('GET /api/board/cards', { archived: true }),
  });
  if (!data) return <Unready error={error} />;
  const search = afresh({ project });
  const cards = data.cards
    .filter(({ teamId }) => isOf(project, teamId))
    .toSorted((a, b) => b.updatedAt - a.updatedAt);
  if (cards.length === 0)
    return (
      <Empty
        title="Nothing is archived"
        action={
          <Link
            to="/board"
            search={{ ...search, view: 'list', q: 'status:done,cancelled' }}
            className="button"
          >
            Show what is done
          </Link>
        }
      >
        What is done or cancelled can be put out of sight: pick it with <kbd className="key">x</kbd> and
        choose Archive. It keeps its history and can be put back.
      </Empty>
    );
  return (
    <div className="border-line @container/list min-h-0 flex-1 overflow-y-auto border-t">
      <Table label="Archived" columns={COLUMNS}>
        {cards.map((card) => (
          <Shelved key={card.id} card={card} onOpen={onOpen} />
        ))}
      </Table>
    </div>
  );
}

const COLUMNS = [
  ['Task', 'minmax(12rem, 40rem)'],
  ['Holder', '11rem'],
  ['Project', '9rem'],
  ['Changed', '6rem'],
  ['', '5rem'],
] as const;

function Shelved({ card, onOpen }: Readonly<{ card: Card; onOpen(id: string): void }>): ReactNode {
  const putBack = useShelve();
  return (
    <li className="cells [content-visibility:auto]">
      <span className="flex min-w-0 items-center gap-2">
        <StatusMark status={card.status} />
        <CardName card={card} onOpen={onOpen} />
      </span>
      <span>{card.assigneeAgentId !== null && <Agent name={card.assigneeAgentId} size={16} />}</span>
      <span className="text-meta text-soft">{card.teamId !== null && <Project id={card.teamId} />}</span>
      <Moment at={card.updatedAt} />
      <span>
        <button className="quiet" onClick={() => putBack.mutate({ id: card.id, archived: false })}>
          Restore
        </button>
        <Refused error={putBack.error} />
      </span>
    </li>
  );
}
