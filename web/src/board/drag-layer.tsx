import {
  DndContext,
  DragOverlay,
  KeyboardSensor,
  PointerSensor,
  pointerWithin,
  rectIntersection,
  useSensor,
  useSensors,
  type CollisionDetection,
  type KeyboardCoordinateGetter,
} from '@dnd-kit/core';
import { useMemo, useState, type ReactNode } from 'react';
import type { Status } from '../../../src/features/board/task.ts';
import { STATUS_WORDS } from '../parts/status.tsx';
import { Face, type CardProps } from './card.tsx';
import type { Card, Cards } from './cards.ts';
import { isOver } from './filter.ts';

/** What a card that is being dragged may do in a column: nothing is said while none is. */
export type Drop = 'here' | 'no' | undefined;
export type DropOf = (status: Status) => Readonly<{ drop: Drop; why: string | undefined }>;

type DraggingProps = Readonly<{
  cards: Cards;
  mayMove(from: Status, to: Status): boolean;
  propsOf(card: Card): Omit<CardProps, 'card'>;
  onDrop(id: string, to: Status): void;
  /** Put above or below another card of its own column. */
  onPut(id: string, beside: string, edge: Edge): void;
  children(dropOf: DropOf): ReactNode;
}>;

/** Columns where it may go are lit, the others are dim and take nothing. A place is named `<status>/<lane>`. */
export function Dragging({ cards, mayMove, propsOf, onDrop, onPut, children }: DraggingProps): ReactNode {
  const [dragged, setDragged] = useState<Card | undefined>();
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 6 } }),
    useSensor(KeyboardSensor, {
      coordinateGetter: besideColumn,
      keyboardCodes: { start: ['Space'], cancel: ['Escape'], end: ['Space', 'Enter'] },
    }),
  );
  const announcements = useMemo(() => announced(cards), [cards]);
  const dropOf: DropOf = (status) => {
    if (!dragged || dragged.status === status) return { drop: undefined, why: undefined };
    const isLegal = mayMove(dragged.status, status);
    const isForSomebody = isLegal && status === 'in_progress' && dragged.assigneeAgentId === null;
    if (!isLegal) return { drop: 'no', why: `Not from ${STATUS_WORDS[dragged.status]}` };
    return { drop: 'here', why: isForSomebody ? 'You say by whom' : undefined };
  };
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={underPointer}
      autoScroll={{ threshold: { x: 0.12, y: 0 } }}
      onDragStart={({ active }) => setDragged(cards.get(String(active.id)))}
      onDragMove={({ activatorEvent, delta }) => showEdge(dragged, pointOf(activatorEvent, delta))}
      onDragCancel={() => (showEdge(undefined, undefined), setDragged(undefined))}
      onDragEnd={({ active, over, activatorEvent, delta }) => {
        const put = edgeAt(dragged, pointOf(activatorEvent, delta));
        showEdge(undefined, undefined);
        setDragged(undefined);
        if (put) onPut(String(active.id), put.beside.dataset['card']!, put.edge);
        else if (over) onDrop(String(active.id), statusAt(over.id));
      }}
      accessibility={{
        announcements,
        screenReaderInstructions: {
          draggable:
            'Press Space to pick a card up, arrow keys to choose a column, Space to put it down, Escape to leave it.',
        },
      }}
    >
      {children(dropOf)}
      <DragOverlay dropAnimation={null}>
        {dragged && (
          <div className="bg-raised border-tide shadow-drawer rounded-one border px-2.5 py-2">
            <Face card={dragged} {...propsOf(dragged)} />
          </div>
        )}
      </DragOverlay>
    </DndContext>
  );
}

type Edge = 'above' | 'below';
type Point = Readonly<{ x: number; y: number }>;

/** Where the pointer is; the keyboard has keys of its own for the order in a column. */
function pointOf(began: Event, { x, y }: Point): Point | undefined {
  return began instanceof PointerEvent ? { x: began.clientX + x, y: began.clientY + y } : undefined;
}

/** Beside which card of its own column, among what is still to be done, it would stand. */
function edgeAt(card: Card | undefined, at: Point | undefined) {
  if (!card || !at || isOver(card.status)) return undefined;
  const beside = document
    .elementsFromPoint(at.x, at.y)
    .map((each) => each.closest<HTMLElement>('[data-card]'))
    .find((each) => each?.closest('[data-column]')?.getAttribute('data-column') === card.status);
  if (!beside || beside.dataset['card'] === card.id) return undefined;
  const { top, height } = beside.getBoundingClientRect();
  return { beside, edge: at.y < top + height / 2 ? ('above' as const) : ('below' as const) };
}

/** Drawn on the card itself: a board of thousands is not drawn anew for a line. */
function showEdge(card: Card | undefined, at: Point | undefined): void {
  const put = edgeAt(card, at);
  for (const each of document.querySelectorAll<HTMLElement>('[data-edge]'))
    if (each !== put?.beside) delete each.dataset['edge'];
  if (put) put.beside.dataset['edge'] = put.edge;
}

function statusAt(place: unknown): Status {
  return String(place).split('/', 1)[0] as Status;
}

/** The pointer decides alone: a card that is wider than a strip must not fall into the column beside it. */
const underPointer: CollisionDetection = (args) =>
  args.pointerCoordinates ? pointerWithin(args) : rectIntersection(args);

/** Arrow keys carry a card from column to column, past those that would not take it. */
const besideColumn: KeyboardCoordinateGetter = (event, { context, currentCoordinates }) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.code];
  if (step === undefined) return undefined;
  event.preventDefault();
  const rects = context.droppableContainers
    .getEnabled()
    .map(({ id }) => context.droppableRects.get(id))
    .filter((rect) => rect !== undefined)
    .sort((a, b) => a.left - b.left);
  const x = currentCoordinates.x + 20;
  const next = step > 0 ? rects.find(({ left }) => left > x) : rects.findLast(({ right }) => right < x);
  return next ? { x: next.left + 4, y: next.top + 40 } : undefined;
};

type Moved = Readonly<{ active: { id: unknown }; over: { id: unknown } | null }>;

function announced(cards: Cards) {
  const name = (id: unknown) => cards.get(String(id))?.title ?? 'card';
  const column = (id: unknown) => STATUS_WORDS[statusAt(id)] ?? 'nowhere';
  return {
    onDragStart: ({ active }: Pick<Moved, 'active'>) => `Picked up ${name(active.id)}.`,
    onDragOver: ({ active, over }: Moved) =>
      over ? `${name(active.id)} is over ${column(over.id)}.` : undefined,
    onDragEnd: ({ active, over }: Moved) =>
      over
        ? `${name(active.id)} was put into ${column(over.id)}.`
        : `${name(active.id)} was left where it was.`,
    onDragCancel: ({ active }: Pick<Moved, 'active'>) => `${name(active.id)} was left where it was.`,
  };
}
