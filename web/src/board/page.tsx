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
  type DragEndEvent,
  type KeyboardCoordinateGetter,
} from '@dnd-kit/core';
import {
  lazy,
  Suspense,
  useCallback,
  useDeferredValue,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from 'react';
import type { Status } from '../../../src/features/board/task.ts';
import { useLifeOf } from '../agents/queries.ts';
import { useKeys, type Keys } from '../frame/keys.ts';
import { useOpenTask, usePlace, useSetPlace } from '../frame/place.ts';
import { useNow } from '../parts/clock.ts';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { Icon } from '../parts/icons.tsx';
import { STATUS_WORDS, STATUSES, StatusMark } from '../parts/status.tsx';
import { Face } from './card.tsx';
import { useCards, useMoves, type Card, type Cards } from './cards.ts';
import { Column } from './column.tsx';
import { FilterLine } from './filter-line.tsx';
import { isEmpty, isOver, matches, parseFilter, waitsFor } from './filter.ts';
import { useAssign, useMove } from './queries.ts';
import { NewTask } from './new-task.tsx';
import { WhoTakesIt } from './who.tsx';

const Graph = lazy(async () => ({ default: (await import('./graph.tsx')).Graph }));
const NOTHING: readonly Card[] = [];

export function BoardPage(): ReactNode {
  const { data: cards, error } = useCards();
  if (error)
    return (
      <div className="p-4">
        <Refused error={error} />
      </div>
    );
  if (!cards) return <Skeleton rows={9} />;
  return <Board cards={cards} />;
}

function Board({ cards }: Readonly<{ cards: Cards }>): ReactNode {
  const { project, q = '', view } = usePlace();
  const setPlace = useSetPlace();
  const [openTask, setOpenTask] = useOpenTask();
  const { data: rules } = useMoves();
  const lifeOf = useLifeOf();
  const move = useMove();
  const assign = useAssign();
  const [error, setError] = useState<unknown>();
  const [chosen, setChosen] = useState<string | undefined>();
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [dragged, setDragged] = useState<Card | undefined>();
  const [asking, setAsking] = useState<Card | undefined>();
  const [focusFilter, setFocusFilter] = useState(0);
  const columns = useColumns(cards, project, q);
  const leaseMs = rules?.leaseMs ?? 1_800_000;

  const mayMove = useCallback(
    (from: Status, to: Status) => rules?.moves[from]?.includes(to) ?? false,
    [rules],
  );
  const go = useCallback(
    (ids: readonly string[], to: Status) => {
      setError(undefined);
      for (const id of ids) {
        const card = cards.get(id);
        if (!card || card.status === to) continue;
        // Work under way belongs to somebody: a person says to whom.
        if (to === 'in_progress' && card.assigneeAgentId === null) setAsking(card);
        else if (!mayMove(card.status, to))
          setError(
            new Error(
              `A task that is ${STATUS_WORDS[card.status].toLowerCase()} cannot go to ${STATUS_WORDS[to].toLowerCase()}.`,
            ),
          );
        else move.mutate({ id, to }, { onError: setError });
      }
    },
    [cards, mayMove, move],
  );

  const keys = useBoardKeys({
    columns,
    chosen,
    setChosen,
    picked,
    setPicked,
    openTask,
    setOpenTask,
    go,
    focus: () => setFocusFilter((n) => n + 1),
    startNew: () => setPlace({ view: 'new' }),
  });
  useKeys('Board', keys);

  const onOpen = useCallback((id: string) => (setChosen(id), setOpenTask(id)), [setOpenTask]);
  const onPick = useCallback((id: string) => setPicked((before) => toggled(before, id)), []);
  const propsOf = useCallback(
    (card: Card) => ({
      waits: card.dependsOn.length === 0 ? NOTHING : waitsFor(card, cards),
      leaseMs,
      life: card.assigneeAgentId === null ? undefined : lifeOf(card.assigneeAgentId),
      isOpen: card.id === openTask,
      isChosen: card.id === chosen,
      isPicked: picked.has(card.id),
      project,
      onOpen,
      onPick,
    }),
    [cards, leaseMs, lifeOf, openTask, chosen, picked, project, onOpen, onPick],
  );

  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 6 } }),
    useSensor(KeyboardSensor, {
      coordinateGetter: besideColumn,
      keyboardCodes: { start: ['Space'], cancel: ['Escape'], end: ['Space', 'Enter'] },
    }),
  );
  const onDragEnd = ({ active, over }: DragEndEvent) => {
    setDragged(undefined);
    if (!over) return;
    const id = String(active.id);
    go(picked.has(id) ? [...picked] : [id], over.id as Status);
  };

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <h1 className="sr-only">Board</h1>
      <div className="flex flex-wrap items-center gap-2 px-3 py-2">
        <FilterLine
          value={q}
          cards={cards}
          focusKey={focusFilter}
          onChange={(text) => setPlace({ q: text === '' ? undefined : text })}
        />
        <button
          className="button"
          aria-pressed={view === 'graph'}
          onClick={() => setPlace({ view: view === 'graph' ? undefined : 'graph' })}
        >
          <Icon name={view === 'graph' ? 'board' : 'graph'} size={14} />
          {view === 'graph' ? 'Columns' : 'Graph'}
        </button>
        <button className="button" onClick={() => setPlace({ view: 'new' })}>
          <Icon name="plus" size={14} />
          New
          <kbd className="key hidden sm:inline">n</kbd>
        </button>
        {picked.size > 0 && (
          <Picked
            count={picked.size}
            onMove={(to) => (go([...picked], to), setPicked(new Set()))}
            onClear={() => setPicked(new Set())}
          />
        )}
      </div>
      {view === 'new' && (
        <NewTask
          project={project}
          onClose={() => setPlace({ view: undefined })}
          onMade={(id) => (setChosen(id), setPlace({ view: undefined }))}
        />
      )}
      {Boolean(error) && (
        <div className="px-3 pb-2">
          <Refused error={error} onClose={() => setError(undefined)} />
        </div>
      )}
      {asking && (
        <WhoTakesIt
          card={asking}
          onClose={() => setAsking(undefined)}
          onChoose={(agent) => (
            setAsking(undefined),
            assign.mutate({ id: asking.id, agent }, { onError: setError })
          )}
        />
      )}
      {cards.size === 0 ? (
        <Empty
          title="The board is empty"
          command={'holdfast board add "Say hello" --description "Any agent may claim this."'}
        >
          A task that stands here can be claimed by any agent that is attached, exactly once. Press{' '}
          <kbd className="key">n</kbd> to write the first one, or:
        </Empty>
      ) : view === 'graph' ? (
        <Suspense fallback={<Skeleton />}>
          <Graph cards={cards} shown={columns} openTask={openTask} onOpen={onOpen} />
        </Suspense>
      ) : (
        <DndContext
          sensors={sensors}
          collisionDetection={underPointer}
          autoScroll={{ threshold: { x: 0.12, y: 0 } }}
          onDragStart={({ active }) => setDragged(cards.get(String(active.id)))}
          onDragCancel={() => setDragged(undefined)}
          onDragEnd={onDragEnd}
          accessibility={{
            announcements: ANNOUNCED(cards),
            screenReaderInstructions: {
              draggable:
                'Press Space to pick a card up, arrow keys to choose a column, Space to put it down, Escape to leave it.',
            },
          }}
        >
          <div className="flex min-h-0 flex-1 snap-x gap-2 overflow-x-auto px-2 pb-2 sm:snap-none">
            {STATUSES.map((status) => (
              <Column
                key={status}
                status={status}
                cards={columns.get(status) ?? NOTHING}
                chosen={chosen}
                propsOf={propsOf}
                drop={
                  dragged && dragged.status !== status
                    ? mayMove(dragged.status, status)
                      ? 'here'
                      : 'no'
                    : undefined
                }
                why={
                  dragged &&
                  status === 'in_progress' &&
                  dragged.assigneeAgentId === null &&
                  mayMove(dragged.status, status)
                    ? 'for an agent'
                    : undefined
                }
              />
            ))}
          </div>
          <DragOverlay dropAnimation={null}>
            {dragged && (
              <div className="bg-raised border-tide shadow-drawer rounded-one border px-2.5 py-2">
                <Face card={dragged} {...propsOf(dragged)} />
              </div>
            )}
          </DragOverlay>
        </DndContext>
      )}
      {cards.size > 0 && q !== '' && [...columns.values()].every((column) => column.length === 0) && (
        <p className="text-soft px-4 pb-6" role="status">
          Nothing on the board matches this filter.
        </p>
      )}
    </div>
  );
}

type Columns = ReadonlyMap<Status, readonly Card[]>;

/** What is over is listed newest first, the rest as it will be worked on. */
function useColumns(cards: Cards, project: string | undefined, q: string): Columns {
  const filter = useMemo(() => parseFilter(q), [q]);
  const now = useNow();
  const isTimed = filter.flags.has('lapsed');
  const at = isTimed ? now : 0;
  const shown = useDeferredValue(cards);
  return useMemo(() => {
    const wanted = [...shown.values()].filter(
      (card) =>
        (project === undefined || card.teamId === project || card.teamId === null) &&
        (isEmpty(filter) || matches(card, filter, shown, at)),
    );
    const columns = Map.groupBy(wanted, ({ status }) => status);
    for (const [status, list] of columns) list.sort(isOver(status) ? byEnd : byTurn);
    return columns;
  }, [shown, project, filter, at]);
}

function byTurn(a: Card, b: Card): number {
  return b.priority - a.priority || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}

function byEnd(a: Card, b: Card): number {
  return b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1);
}

type BoardKeyParts = Readonly<{
  columns: Columns;
  chosen: string | undefined;
  setChosen(id: string): void;
  picked: ReadonlySet<string>;
  setPicked(change: (before: ReadonlySet<string>) => ReadonlySet<string>): void;
  openTask: string | undefined;
  setOpenTask(id: string | undefined): void;
  go(ids: readonly string[], to: Status): void;
  focus(): void;
  startNew(): void;
}>;

function useBoardKeys(parts: BoardKeyParts): Keys {
  const latest = useRef(parts);
  latest.current = parts;
  return useMemo(() => {
    const step = (down: number, across: number) => {
      const { columns, chosen, setChosen, openTask, setOpenTask } = latest.current;
      const next = neighbour(columns, chosen, down, across);
      if (next === undefined) return;
      setChosen(next);
      if (openTask !== undefined) setOpenTask(next);
      else
        requestAnimationFrame(() =>
          document
            .querySelector<HTMLElement>(`[data-card-button="${CSS.escape(next)}"]`)
            ?.focus({ preventScroll: true }),
        );
    };
    const mine = () => {
      const { picked, chosen, openTask } = latest.current;
      if (picked.size > 0) return [...picked];
      const one = chosen ?? openTask;
      return one === undefined ? [] : [one];
    };
    const moves = STATUSES.map(
      (status, at) =>
        [
          String(at + 1),
          { does: `Move to ${STATUS_WORDS[status]}`, run: () => latest.current.go(mine(), status) },
        ] as const,
    );
    return {
      '/': { does: 'Filter', run: () => latest.current.focus() },
      n: { does: 'New task', run: () => latest.current.startNew() },
      j: { does: 'Next card', run: () => step(1, 0) },
      k: { does: 'Card before', run: () => step(-1, 0) },
      h: { does: 'Column to the left', run: () => step(0, -1) },
      l: { does: 'Column to the right', run: () => step(0, 1) },
      ']': { does: 'Next card, open', run: () => step(1, 0) },
      '[': { does: 'Card before, open', run: () => step(-1, 0) },
      o: { does: 'Open', run: () => latest.current.setOpenTask(mine()[0]) },
      x: {
        does: 'Pick several',
        run: () => latest.current.setPicked((before) => mine().slice(-1).reduce(toggled, before)),
      },
      ...Object.fromEntries(moves),
    };
  }, []);
}

function neighbour(
  columns: Columns,
  from: string | undefined,
  down: number,
  across: number,
): string | undefined {
  const order = STATUSES.map((status) => columns.get(status) ?? NOTHING).filter(
    (column) => column.length > 0,
  );
  const at = order.findIndex((column) => column.some(({ id }) => id === from));
  if (at < 0) return order[0]?.[0]?.id;
  const row = order[at]!.findIndex(({ id }) => id === from);
  if (across === 0) return order[at]![Math.max(0, Math.min(order[at]!.length - 1, row + down))]?.id;
  const column = order[Math.max(0, Math.min(order.length - 1, at + across))]!;
  return column[Math.min(row, column.length - 1)]?.id;
}

function toggled(before: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(before);
  if (!next.delete(id)) next.add(id);
  return next;
}

function Picked({
  count,
  onMove,
  onClear,
}: Readonly<{ count: number; onMove(to: Status): void; onClear(): void }>): ReactNode {
  return (
    <div
      className="bg-tide-wash flex items-center gap-1 rounded-one px-2"
      role="group"
      aria-label={`${count} picked`}
    >
      <span className="mr-1 font-medium">{count} picked</span>
      {STATUSES.filter((status) => status !== 'in_progress').map((status) => (
        <button
          key={status}
          className="quiet"
          title={`Move to ${STATUS_WORDS[status]}`}
          onClick={() => onMove(status)}
        >
          <StatusMark status={status} />
        </button>
      ))}
      <button className="quiet" onClick={onClear}>
        Clear
      </button>
    </div>
  );
}

/** The pointer decides alone: a card that is wider than a strip must not fall into the column beside it. */
const underPointer: CollisionDetection = (args) =>
  args.pointerCoordinates ? pointerWithin(args) : rectIntersection(args);

/** Arrow keys carry a card from column to column. */
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

const ANNOUNCED = (cards: Cards) => {
  const name = (id: unknown) => cards.get(String(id))?.title ?? 'card';
  const column = (id: unknown) => STATUS_WORDS[id as Status] ?? 'nowhere';
  return {
    onDragStart: ({ active }: { active: { id: unknown } }) => `Picked up ${name(active.id)}.`,
    onDragOver: ({ active, over }: { active: { id: unknown }; over: { id: unknown } | null }) =>
      over ? `${name(active.id)} is over ${column(over.id)}.` : undefined,
    onDragEnd: ({ active, over }: { active: { id: unknown }; over: { id: unknown } | null }) =>
      over
        ? `${name(active.id)} was put into ${column(over.id)}.`
        : `${name(active.id)} was left where it was.`,
    onDragCancel: ({ active }: { active: { id: unknown } }) => `${name(active.id)} was left where it was.`,
  };
};
