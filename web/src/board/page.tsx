import { lazy, Suspense, useCallback, useMemo, useState, type ReactNode } from 'react';
import type { Status } from '../../../src/features/board/task.ts';
import { useLifeOf } from '../agents/queries.ts';
import { useKeys } from '../frame/keys.ts';
import { later } from '../frame/later.ts';
import { useOpenTask, usePlace, useSetPlace } from '../frame/place.ts';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { PageHead } from '../parts/page.tsx';
import { STATUSES } from '../parts/status.tsx';
import { Unready } from '../parts/unready.tsx';
import { toggled, useBoardKeys } from './board-keys.ts';
import { Picked } from './bulk.tsx';
import { useCards, useMoves, type Card, type Cards } from './cards.ts';
import { Column } from './column.tsx';
import { NOTHING, useColumns, type Columns } from './columns.ts';
import { Dragging } from './drag-layer.tsx';
import { isOver, waitsFor } from './filter.ts';
import { laneKind, Lanes } from './lanes.tsx';
import { List } from './list.tsx';
import { commonMoves, MoveOffer, useMoving } from './moves.tsx';
import { NEW, NewTask } from './new-task.tsx';
import { useAssign, usePutBetween, useRefusals, useRunning, type Placing } from './queries.ts';
import { useCollidingTasks, useLandingTasks } from '../landing/queries.ts';
import { Toolbar } from './toolbar.tsx';
import { WhoTakesIt } from './who.tsx';

const Graph = lazy(later(async () => ({ default: (await import('./graph.tsx')).Graph })));
const Shelf = lazy(later(async () => ({ default: (await import('./shelf.tsx')).Shelf })));

export function BoardPage(): ReactNode {
  const { data: cards, error } = useCards();
  if (!cards) return error ? <Unready error={error} /> : <Coming />;
  return <Board cards={cards} />;
}

/** The board before its tasks: the columns they will stand in. */
function Coming(): ReactNode {
  return (
    <div role="status" aria-label="Loading" className="flex min-h-0 flex-1 flex-col">
      <PageHead title="Board">Every task, claimed exactly once.</PageHead>
      <div className="flex min-h-0 flex-1 gap-3 overflow-hidden px-3 pt-10" aria-hidden="true">
        {STATUSES.map((status, column) => (
          <div key={status} className="flex w-[82vw] shrink-0 flex-col gap-1.5 sm:w-[280px]">
            {Array.from({ length: 4 - (column % 3) }, (_, at) => (
              <span key={at} className="bg-sunken h-16 rounded-one" />
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

function Board({ cards }: Readonly<{ cards: Cards }>): ReactNode {
  const place = usePlace();
  const { project, q = '', view, lanes, hide = '' } = place;
  const setPlace = useSetPlace();
  const [openTask, setOpenTask] = useOpenTask();
  const assign = useAssign();
  const [chosen, setChosen] = useState<string | undefined>();
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [offered, setOffered] = useState<readonly string[]>([]);
  const [focusFilter, setFocusFilter] = useState(0);
  const columns = useColumns(cards, place);
  const { go, mayMove, error, setError, asking, setAsking } = useMoving(cards);
  const cardsOf = (ids: Iterable<string>) => [...ids].flatMap((id) => cards.get(id) ?? []);
  const pickedCards = cardsOf(picked);
  const offeredCards = cardsOf(offered);

  const putBetween = usePutBetween();
  const { put, putBy } = usePutting(columns, (placing) =>
    place.order === undefined
      ? putBetween.mutate(placing, { onError: setError })
      : setError(new Error('The order is chosen: choose Manual to put cards yourself.')),
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
    offer: setOffered,
    focus: () => setFocusFilter((n) => n + 1),
    startNew: () => setPlace({ at: NEW }),
    put: (id, by) => putBy(id, by),
  });
  useKeys('Board', keys);
  const letGo = { does: 'Let go of what is picked', run: () => setPicked(new Set()) };
  useKeys('What is picked', { Escape: letGo }, picked.size > 0);

  const onOpen = useCallback((id: string) => (setChosen(id), setOpenTask(id)), [setOpenTask]);
  const onPick = useCallback((id: string) => setPicked((before) => toggled(before, id)), []);
  const propsOf = usePropsOf({ cards, project, hidden: hide, openTask, chosen, picked, onOpen, onPick });
  const isEmpty = cards.size === 0;
  const lane = laneKind(lanes);
  // The old address of it is kept.
  const isNew = view === 'new' || place.at?.split(' ', 1)[0] === NEW;
  const endNew = () => setPlace({ at: undefined, ...(view === 'new' && { view: undefined }) });

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <Toolbar cards={cards} focusFilter={focusFilter}>
        {pickedCards.length > 0 && (
          <Picked
            cards={pickedCards}
            moves={commonMoves(pickedCards, mayMove)}
            onMove={(to) => (go([...picked], to), setPicked(new Set()))}
            onClear={() => setPicked(new Set())}
          />
        )}
      </Toolbar>
      {isNew && (
        <NewTask
          project={project}
          status={place.at?.slice(NEW.length + 1)}
          onClose={endNew}
          onMade={(id) => (setChosen(id), endNew())}
        />
      )}
      {Boolean(error) && (
        <div className="px-3 pb-2">
          <Refused error={error} onClose={() => setError(undefined)} />
        </div>
      )}
      {offeredCards.length > 0 && (
        <MoveOffer
          cards={offeredCards}
          moves={commonMoves(offeredCards, mayMove)}
          onMove={(to) => go(offered, to)}
          onClose={() => setOffered([])}
        />
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
      {view === 'archived' ? (
        <Suspense fallback={<Skeleton />}>
          <Shelf project={project} onOpen={onOpen} />
        </Suspense>
      ) : isEmpty ? (
        <NoTask onNew={() => setPlace({ at: NEW })} />
      ) : columns.size === 0 ? (
        <NoMatch q={q} project={project} onClear={() => setPlace({ q: undefined, project: undefined })} />
      ) : view === 'graph' ? (
        <Suspense fallback={<Skeleton />}>
          <Graph cards={cards} shown={columns} openTask={openTask} onOpen={onOpen} isBesides />
        </Suspense>
      ) : view === 'list' ? (
        <List columns={columns} chosen={chosen} propsOf={propsOf} />
      ) : (
        <Dragging
          cards={cards}
          mayMove={mayMove}
          propsOf={propsOf}
          onDrop={(id, to) => go(picked.has(id) ? [...picked] : [id], to)}
          onPut={put}
        >
          {(dropOf) =>
            lane ? (
              <Lanes
                columns={columns}
                kind={lane}
                dropOf={dropOf}
                propsOf={propsOf}
                onNarrow={(filter) => setPlace({ q: `${q} ${filter}`.trim(), lanes: undefined }, true)}
              />
            ) : (
              <div className="flex min-h-0 flex-1 snap-x scroll-px-3 gap-3 overflow-x-auto px-3 pb-2 sm:snap-none">
                {STATUSES.filter((status) => isShown(status, hide, columns)).map((status) => (
                  <Column
                    key={status}
                    status={status}
                    cards={columns.get(status) ?? NOTHING}
                    chosen={chosen}
                    propsOf={propsOf}
                    onNew={(status) => setPlace({ at: `${NEW} ${status}` })}
                    {...dropOf(status)}
                  />
                ))}
              </div>
            )
          }
        </Dragging>
      )}
    </div>
  );
}

function NoTask({ onNew }: Readonly<{ onNew(): void }>): ReactNode {
  return (
    <Empty
      title="The board is empty"
      action={
        <button className="button button-main" onClick={onNew}>
          Create the first task
        </button>
      }
      command={'holdfast board add "Say hello" --description "Any agent may claim this."'}
    >
      A task that stands here can be claimed by any agent that is attached, exactly once.
    </Empty>
  );
}

/** The board has tasks, but none of them is to be seen. */
function NoMatch({
  q,
  project,
  onClear,
}: Readonly<{ q: string; project: string | undefined; onClear(): void }>): ReactNode {
  return (
    <div className="flex flex-col items-start gap-2 px-4 py-6">
      <p className="text-soft" role="status">
        {q !== ''
          ? `Nothing on the board${project === undefined ? '' : ` of ${project}`} matches this filter.`
          : `No task of ${project} stands on the board.`}
      </p>
      <button className="button" onClick={onClear}>
        Show everything
      </button>
    </div>
  );
}

function isShown(status: Status, hide: string, columns: Columns): boolean {
  if (hide.includes('empty') && !columns.has(status)) return false;
  return !(hide.includes('done') && isOver(status));
}

/** Puts a card beside another one of its column; the hub is told between which two. */
function usePutting(columns: Columns, tell: (placing: Placing) => void) {
  const putAt = (id: string, at: (own: readonly Card[], from: number) => number) => {
    const column = [...columns.values()].find((cards) => cards.some((card) => card.id === id)) ?? NOTHING;
    const others = column.filter((card) => card.id !== id);
    const to = at(
      others,
      column.findIndex((card) => card.id === id),
    );
    if (column[0] === undefined || isOver(column[0].status) || to < 0 || to > others.length) return;
    if (column[to]?.id !== id) tell({ id, after: others[to - 1], before: others[to] });
  };
  return {
    put: (id: string, beside: string, edge: 'above' | 'below') =>
      putAt(id, (others) => others.findIndex((card) => card.id === beside) + (edge === 'above' ? 0 : 1)),
    putBy: (id: string, by: -1 | 1) => putAt(id, (_others, from) => from + by),
  };
}

const NONE: readonly string[] = [];

type CardSurroundings = Readonly<{
  cards: Cards;
  project: string | undefined;
  hidden: string;
  openTask: string | undefined;
  chosen: string | undefined;
  picked: ReadonlySet<string>;
  onOpen(id: string): void;
  onPick(id: string): void;
}>;

/** What a card shows beside itself. A card whose answer is the same is not drawn again. */
function usePropsOf(around: CardSurroundings) {
  const { cards, project, hidden, openTask, chosen, picked, onOpen, onPick } = around;
  const { data: rules } = useMoves();
  const lifeOf = useLifeOf();
  const running = useRunning();
  const refusals = useRefusals();
  const collisions = useCollidingTasks();
  const landings = useLandingTasks();
  const leaseMs = rules?.leaseMs ?? 1_800_000;
  return useMemo(
    () => (card: Card) => ({
      waits: card.dependsOn.length === 0 ? NOTHING : waitsFor(card, cards),
      leaseMs,
      life: card.assigneeAgentId === null ? undefined : lifeOf(card.assigneeAgentId),
      run: running.get(card.id),
      refused: refusals.get(card.id) ?? 0,
      collides: collisions.get(card.id) ?? NONE,
      landing: landings.get(card.id),
      hidden,
      isOpen: card.id === openTask,
      isChosen: card.id === chosen,
      isPicked: picked.has(card.id),
      project,
      onOpen,
      onPick,
    }),
    [
      cards,
      leaseMs,
      lifeOf,
      running,
      refusals,
      collisions,
      landings,
      hidden,
      openTask,
      chosen,
      picked,
      project,
      onOpen,
      onPick,
    ],
  );
}
