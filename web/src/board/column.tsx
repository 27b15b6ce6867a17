import { useDroppable } from '@dnd-kit/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type ReactNode } from 'react';
import type { Status } from '../../../src/features/board/task.ts';
import { Icon } from '../parts/icons.tsx';
import { STATUS_WORDS, StatusMark } from '../parts/status.tsx';
import type { CardProps } from './card.tsx';
import { BoardCard } from './draggable-card.tsx';
import type { Card } from './cards.ts';
import type { Drop } from './drag-layer.tsx';
import { isOver } from './filter.ts';

/** Where a person may begin something. */
const NEW_IN: ReadonlySet<Status> = new Set(['backlog', 'todo']);

export type ColumnProps = Readonly<{
  status: Status;
  cards: readonly Card[];
  drop: Drop;
  why: string | undefined;
  chosen: string | undefined;
  propsOf(card: Card): Omit<CardProps, 'card'>;
  /** Begins a task that stands here. */
  onNew?: ((status: Status) => void) | undefined;
}>;

/** Only the cards in sight are there: five thousand are as quick as fifty. An empty column stays one. */
export function Column({ status, cards, drop, why, chosen, propsOf, onNew }: ColumnProps): ReactNode {
  const { setNodeRef, isOver: isUnder } = useDroppable({ id: status, disabled: drop === 'no' });
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: cards.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isOver(status) ? 54 : 84),
    getItemKey: (at) => cards[at]!.id,
    gap: 6,
    overscan: 6,
    paddingEnd: 12,
  });
  const chosenAt = chosen === undefined ? -1 : cards.findIndex(({ id }) => id === chosen);
  useEffect(() => {
    if (chosenAt < 0) return;
    rows.scrollToIndex(chosenAt, { align: 'auto' });
  }, [chosenAt, rows]);

  const light =
    drop === 'here'
      ? isUnder
        ? 'bg-tide-wash outline-tide outline-2'
        : 'outline-edge outline-1 outline-dashed'
      : '';
  return (
    <section
      ref={setNodeRef}
      aria-label={`${STATUS_WORDS[status]}, ${cards.length}`}
      data-column={status}
      className={`group/column relative flex min-h-0 w-[82vw] shrink-0 snap-start flex-col rounded-one sm:w-[280px] ${light}`}
    >
      <h2
        className={`text-meta flex h-9 items-center gap-1.5 px-2 font-semibold ${drop === 'no' ? 'opacity-45' : ''}`}
      >
        <StatusMark status={status} />
        <span className="truncate">{STATUS_WORDS[status]}</span>
        {cards.length > 0 && <span className="text-faint font-normal">{cards.length.toLocaleString()}</span>}
        {onNew && NEW_IN.has(status) && (
          <button
            className="quiet ml-auto opacity-0 group-hover/column:opacity-100 focus-visible:opacity-100"
            onClick={() => onNew(status)}
            aria-label={`New task in ${STATUS_WORDS[status]}`}
          >
            <Icon name="plus" size={13} />
          </button>
        )}
      </h2>
      {cards.length === 0 ? (
        <div
          className={`border-line text-meta text-faint mx-1 grid h-16 place-items-center rounded-one border border-dashed ${drop === 'no' ? 'opacity-45' : ''}`}
        >
          {drop === 'here' ? 'Drop here' : 'Nothing'}
        </div>
      ) : (
        <div
          ref={scroller}
          className={`min-h-0 flex-1 overflow-x-hidden overflow-y-auto px-1 ${drop === 'no' ? 'opacity-45' : ''}`}
          tabIndex={-1}
        >
          <ol className="relative" style={{ height: rows.getTotalSize() }}>
            {rows.getVirtualItems().map(({ index, key, start }) => {
              const card = cards[index]!;
              return (
                <li
                  key={key}
                  ref={rows.measureElement}
                  data-index={index}
                  className="absolute inset-x-0 top-0"
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <BoardCard card={card} {...propsOf(card)} />
                </li>
              );
            })}
          </ol>
        </div>
      )}
      {/* Over the cards, so that nothing moves while one is carried. */}
      {why && (
        <p className="text-meta text-soft bg-raised border-line absolute inset-x-2 bottom-3 rounded-one border px-2 py-1 text-center">
          {why}
        </p>
      )}
    </section>
  );
}
