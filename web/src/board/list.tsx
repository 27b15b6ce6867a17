import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, type ReactNode } from 'react';
import type { Status } from '../../../src/features/board/task.ts';
import { Agent } from '../parts/agent.tsx';
import { Due } from '../parts/due.tsx';
import { Face } from '../parts/face.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { PriorityBars } from '../parts/priority.tsx';
import { Project } from '../parts/project.tsx';
import { STATUS_WORDS, STATUSES, StatusMark } from '../parts/status.tsx';
import { Moment } from '../parts/time.tsx';
import type { CardProps } from './card.tsx';
import type { Card } from './cards.ts';
import { NOTHING, type Columns } from './columns.ts';
import { isOver } from './filter.ts';

type ListProps = Readonly<{
  columns: Columns;
  chosen: string | undefined;
  propsOf(card: Card): Omit<CardProps, 'card'>;
}>;

type Line = Readonly<{ status: Status; card?: Card; count?: number }>;

const HEADS = ['', 'Task', 'Labels', 'Project', 'Holder', 'Due', 'Checks', 'Cost', 'Changed'];
const GRID =
  'grid items-center gap-x-3 px-4 grid-cols-[16px_minmax(0,1fr)_auto] @min-[900px]/view:grid-cols-[16px_minmax(12rem,52rem)_minmax(4rem,9rem)_minmax(5rem,8rem)_minmax(7rem,10rem)_6rem_4rem_4rem_5rem]';

/** Everything in lines, by where it stands. Only the lines in sight are there. */
export function List({ columns, chosen, propsOf }: ListProps): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const lines = useMemo(
    () =>
      STATUSES.flatMap((status): Line[] => {
        const cards = columns.get(status) ?? NOTHING;
        return cards.length === 0
          ? []
          : [{ status, count: cards.length }, ...cards.map((card) => ({ status, card }))];
      }),
    [columns],
  );
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 36,
    getItemKey: (at) => lines[at]!.card?.id ?? lines[at]!.status,
    overscan: 10,
  });
  const at = lines.findIndex(({ card }) => card !== undefined && card.id === chosen);
  useEffect(() => {
    if (at >= 0) rows.scrollToIndex(at, { align: 'auto' });
  }, [at, rows]);
  return (
    <>
      <div
        className={`border-line text-meta text-faint hidden h-7 shrink-0 border-y @min-[900px]/view:grid! ${GRID}`}
        aria-hidden="true"
      >
        {HEADS.map((name) => (
          <span key={name}>{name}</span>
        ))}
      </div>
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto" tabIndex={-1}>
        <ol className="relative" style={{ height: rows.getTotalSize() }} aria-label="Tasks">
          {rows.getVirtualItems().map(({ index, key, start }) => {
            const { status, card, count } = lines[index]!;
            return (
              <li
                key={key}
                className="border-line absolute inset-x-0 top-0 h-9 border-b"
                style={{ transform: `translateY(${start}px)` }}
              >
                {card ? (
                  <Row card={card} {...propsOf(card)} />
                ) : (
                  <h2 className="bg-sunken text-meta flex h-full items-center gap-1.5 px-4 font-semibold">
                    <StatusMark status={status} />
                    {STATUS_WORDS[status]}
                    <span className="text-faint font-normal">{count?.toLocaleString()}</span>
                  </h2>
                )}
              </li>
            );
          })}
        </ol>
      </div>
    </>
  );
}

function Row({ card, waits, life, isOpen, isChosen, isPicked, onOpen, onPick }: CardProps): ReactNode {
  const isDone = isOver(card.status);
  const shade = isPicked ? 'bg-tide-wash' : isOpen || isChosen ? 'bg-chosen' : 'hover:bg-sunken';
  return (
    <button
      data-card={card.id}
      data-card-button={card.id}
      aria-pressed={isPicked ? true : undefined}
      onClick={({ shiftKey }) => (shiftKey ? onPick(card.id) : onOpen(card.id))}
      className={`h-full w-full text-left ${GRID} ${shade}`}
    >
      <PriorityBars priority={card.priority} />
      <span className="flex min-w-0 items-center gap-2">
        <span className={`truncate ${isDone ? 'text-soft' : ''}`} dir="auto">
          <Foreign text={card.title} />
        </span>
        {waits.length > 0 && !isDone && (
          <span
            className="text-amber text-meta flex shrink-0 items-center gap-0.5"
            title={`Blocked by ${waits.map(({ title }) => title).join(', ')}`}
          >
            <Icon name="wait" size={12} /> {waits.length}
          </span>
        )}
        {card.assigneeAgentId !== null && (
          <span className="ml-auto shrink-0 @min-[900px]/view:hidden">
            <Face name={card.assigneeAgentId} size={16} />
          </span>
        )}
      </span>
      <Cell>{card.labels.join(' · ')}</Cell>
      <Cell>{card.teamId !== null && <Project id={card.teamId} />}</Cell>
      <Cell>
        {card.assigneeAgentId !== null && (
          <Agent name={card.assigneeAgentId} life={isDone ? undefined : life} size={16} />
        )}
      </Cell>
      <Cell>{card.due !== null && <Due day={card.due} isOver={isDone} />}</Cell>
      <Cell>{card.checks && `${card.checks.satisfied}/${card.checks.total}`}</Cell>
      <Cell>{card.costUsd > 0 && `$${card.costUsd.toFixed(2)}`}</Cell>
      <Moment at={card.updatedAt} />
    </button>
  );
}

function Cell({ children }: Readonly<{ children: ReactNode }>): ReactNode {
  return (
    <span className="text-meta text-soft hidden min-w-0 truncate @min-[900px]/view:block">{children}</span>
  );
}
