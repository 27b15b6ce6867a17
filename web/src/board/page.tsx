import { lazy, Suspense, useCallback, useMemo, useState, type ReactNode } from 'react';
import { useLifeOf } from '../agents/queries.ts';
import { useKeys } from '../frame/keys.ts';
import { later } from '../frame/later.ts';
import { useOpenTask, usePlace, useSetPlace } from '../frame/place.ts';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { STATUSES } from '../parts/status.tsx';
import { Unready } from '../parts/unready.tsx';
import { toggled, useBoardKeys } from './board-keys.ts';
import { Picked } from './bulk.tsx';
import { useCards, useMoves, type Card, type Cards } from './cards.ts';
import { Column } from './column.tsx';
import { NOTHING, useColumns } from './columns.ts';
import { Dragging } from './drag-layer.tsx';
import { waitsFor } from './filter.ts';
import { laneKind, Lanes } from './lanes.tsx';
import { commonMoves, MoveOffer, useMoving } from './moves.tsx';
import { NewTask } from './new-task.tsx';
import { useAssign, useRefusals, useRunning } from './queries.ts';
import { useCollidingTasks } from '../landing/queries.ts';
import { Toolbar } from './toolbar.tsx';
import { WhoTakesIt } from './who.tsx';

const Graph = lazy(later(async () => ({ default: (await import('./graph.tsx')).Graph })));
const Shelf = lazy(later(async () => ({ default: (await import('./shelf.tsx')).Shelf })));

export function BoardPage(): ReactNode {
  const { data: cards, error } = useCards();
  if (!cards) return <Unready error={error} rows={9} />;
  return <Board cards={cards} />;
}

function Board({ cards }: Readonly<{ cards: Cards }>): ReactNode {
  const { project, q = '', view, lanes } = usePlace();
  const setPlace = useSetPlace();
  const [openTask, setOpenTask] = useOpenTask();
  const assign = useAssign();
  const [chosen, setChosen] = useState<string | undefined>();
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [offered, setOffered] = useState<readonly string[]>([]);
  const [focusFilter, setFocusFilter] = useState(0);
  const columns = useColumns(cards, project, q);
  const { go, mayMove, error, setError, asking, setAsking } = useMoving(cards);
  const cardsOf = (ids: Iterable<string>) => [...ids].flatMap((id) => cards.get(id) ?? []);
  const pickedCards = cardsOf(picked);
  const offeredCards = cardsOf(offered);

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
    startNew: () => setPlace({ view: 'new' }),
  });
  useKeys('Board', keys);
  const letGo = { does: 'Let go of what is picked', run: () => setPicked(new Set()) };
  useKeys('What is picked', { Escape: letGo }, picked.size > 0);

  const onOpen = useCallback((id: string) => (setChosen(id), setOpenTask(id)), [setOpenTask]);
  const onPick = useCallback((id: string) => setPicked((before) => toggled(before, id)), []);
  const propsOf = usePropsOf({ cards, project, openTask, chosen, picked, onOpen, onPick });
  const isEmpty = cards.size === 0;
  const lane = laneKind(lanes);

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <h1 className="sr-only">Board</h1>
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
        <NoTask />
      ) : columns.size === 0 ? (
        <NoMatch q={q} project={project} onClear={() => setPlace({ q: undefined, project: undefined })} />
      ) : view === 'graph' ? (
        <Suspense fallback={<Skeleton />}>
          <Graph cards={cards} shown={columns} openTask={openTask} onOpen={onOpen} />
        </Suspense>
      ) : (
        <Dragging
          cards={cards}
          mayMove={mayMove}
          propsOf={propsOf}
          onDrop={(id, to) => go(picked.has(id) ? [...picked] : [id], to)}
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
              <div className="flex min-h-0 flex-1 snap-x gap-2 overflow-x-auto px-2 pb-2 sm:snap-none">
                {STATUSES.map((status) => (
                  <Column
                    key={status}
                    status={status}
                    cards={columns.get(status) ?? NOTHING}
                    chosen={chosen}
                    propsOf={propsOf}
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

function NoTask(): ReactNode {
  return (
    <Empty
      title="The board is empty"
      command={'holdfast board add "Say hello" --description "Any agent may claim this."'}
    >
      A task that stands here can be claimed by any agent that is attached, exactly once. Press{' '}
      <kbd className="key">n</kbd> to write the first one, or:
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

const NONE: readonly string[] = [];

type CardSurroundings = Readonly<{
  cards: Cards;
  project: string | undefined;
  openTask: string | undefined;
  chosen: string | undefined;
  picked: ReadonlySet<string>;
  onOpen(id: string): void;
  onPick(id: string): void;
}>;

/** What a card shows beside itself. A card whose answer is the same is not drawn again. */
function usePropsOf({ cards, project, openTask, chosen, picked, onOpen, onPick }: CardSurroundings) {
  const { data: rules } = useMoves();
  const lifeOf = useLifeOf();
  const running = useRunning();
  const refusals = useRefusals();
  const collisions = useCollidingTasks();
  const leaseMs = rules?.leaseMs ?? 1_800_000;
  return useMemo(
    () => (card: Card) => ({
      waits: card.dependsOn.length === 0 ? NOTHING : waitsFor(card, cards),
      leaseMs,
      life: card.assigneeAgentId === null ? undefined : lifeOf(card.assigneeAgentId),
      run: running.get(card.id),
      refused: refusals.get(card.id) ?? 0,
      collides: collisions.get(card.id) ?? NONE,
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
      openTask,
      chosen,
      picked,
      project,
      onOpen,
      onPick,
    ],
  );
}
