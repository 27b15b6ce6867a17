import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask } from '../api/call.ts';
import { Empty, Refused } from '../parts/empty.tsx';
import { StatusMark } from '../parts/status.tsx';
import { Moment } from '../parts/time.tsx';
import { Unready } from '../parts/unready.tsx';
import type { Card } from './cards.ts';
import { useShelve } from './queries.ts';
import { CardName } from './card.tsx';

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
  const cards = data.cards
    .filter(({ teamId }) => project === undefined || teamId === null || teamId === project)
    .toSorted((a, b) => b.updatedAt - a.updatedAt);
  if (cards.length === 0)
    return (
      <Empty title="Nothing is archived">
        What is done or cancelled can be put out of sight: pick it with <kbd className="key">x</kbd> and
        choose Archive. It keeps its history and can be put back.
      </Empty>
    );
  return (
    <ul aria-label="Archived" className="border-line mx-3 min-h-0 flex-1 overflow-y-auto border-t">
      {cards.map((card) => (
        <Shelved key={card.id} card={card} onOpen={onOpen} />
      ))}
    </ul>
  );
}

function Shelved({ card, onOpen }: Readonly<{ card: Card; onOpen(id: string): void }>): ReactNode {
  const putBack = useShelve();
  return (
    <li className="border-line row border-b px-1 [content-visibility:auto]">
      <StatusMark status={card.status} />
      <CardName card={card} onOpen={onOpen} />
      <span className="text-meta text-faint ml-auto shrink-0">
        {card.assigneeAgentId} <Moment at={card.updatedAt} />
      </span>
      <button className="quiet shrink-0" onClick={() => putBack.mutate({ id: card.id, archived: false })}>
        Put back
      </button>
      <Refused error={putBack.error} />
    </li>
  );
}
