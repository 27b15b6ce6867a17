import { useDroppable } from '@dnd-kit/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type ReactNode } from 'react';
import type { Status } from '../../../src/features/board/task.ts';
import { STATUS_WORDS, StatusMark } from '../parts/status.tsx';
import type { CardProps } from './card.tsx';
import { BoardCard } from './draggable-card.tsx';
import type { Card } from './cards.ts';
import type { Drop } from './drag-layer.tsx';

export type ColumnProps = Readonly<{
  status: Status;
  cards: readonly Card[];
  drop: Drop;
  why: string | undefined;
  chosen: string | undefined;
  propsOf(card: Card): Omit<CardProps, 'card'>;
}>;

/** Only the cards in sight are there: five thousand are as quick as fifty. An empty column is a strip. */
export function Column({ status, cards, drop, why, chosen, propsOf }: ColumnProps): ReactNode {
  const { setNodeRef, isOver } = useDroppable({ id: status, disabled: drop === 'no' });
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: cards.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 66,
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

  const isStrip = cards.length === 0 && drop !== 'here';
  return (
    <section
      ref={setNodeRef}
      aria-label={`${STATUS_WORDS[status]}, ${cards.length}`}
      data-column={status}
      className={`relative flex min-h-0 shrink-0 flex-col rounded-one ${isStrip ? 'w-9' : 'w-[82vw] snap-start sm:w-auto sm:min-w-40 sm:max-w-96 sm:flex-1 sm:basis-0'} ${drop === 'here' ? (isOver ? 'bg-tide-wash outline-tide outline-2' : 'outline-edge outline-1 outline-dashed') : ''}`}
    >
      <h2
        className={`text-meta flex items-center gap-1.5 font-semibold ${drop === 'no' ? 'opacity-45' : ''} ${isStrip ? 'flex-col py-2' : 'h-8 px-2'}`}
      >
        <StatusMark status={status} />
        <span className={isStrip ? 'text-faint [writing-mode:vertical-rl]' : 'truncate'}>
          {STATUS_WORDS[status]}
        </span>
        {cards.length > 0 && <span className="text-faint font-normal">{cards.length.toLocaleString()}</span>}
      </h2>
      {!isStrip && (
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
      {why && !isStrip && (
        <p className="text-meta text-soft bg-raised border-line absolute inset-x-2 bottom-3 rounded-one border px-2 py-1 text-center">
          {why}
        </p>
      )}
    </section>
  );
}
