import { useDraggable } from '@dnd-kit/core';
import { memo, type ReactNode } from 'react';
import { type CardProps, Face } from './card.tsx';

/** Three lines at most: what, who and for how long, and what it waits for or how far its checks are. */
export const BoardCard = memo(function BoardCard(props: CardProps): ReactNode {
  const { card, isOpen, isChosen, isPicked, onOpen, onPick } = props;
  const { setNodeRef, listeners, isDragging } = useDraggable({ id: card.id, data: { status: card.status } });
  return (
    <article
      ref={setNodeRef}
      {...listeners}
      data-card={card.id}
      className={`group bg-raised touch-manipulation rounded-one border px-2.5 py-2 ${isOpen || isChosen ? 'border-tide' : 'border-line hover:border-edge'} ${isPicked ? 'bg-tide-wash' : ''} ${isDragging ? 'opacity-35' : ''}`}
    >
      <button
        data-card-button={card.id}
        onClick={({ shiftKey }) => (shiftKey ? onPick(card.id) : onOpen(card.id))}
        aria-pressed={isPicked ? true : undefined}
        className="block w-full text-left outline-offset-4"
      >
        <Face {...props} />
      </button>
    </article>
  );
});
