import { useMemo, type ReactNode } from 'react';
import type { Status } from '../../../src/features/board/task.ts';
import { Empty } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { StatusMark } from '../parts/status.tsx';
import { CardName } from './card.tsx';
import type { Card, Cards } from './cards.ts';
import { isOver } from './filter.ts';
import { layGraph, NODE, type Edge, type Node } from './graph-layout.ts';
import { Minimap, startPan, useSheet } from './graph-sheet.tsx';

/** Dependencies from left to right: what must come first stands further left. What holds others up stands out. */
export function Graph({
  cards,
  shown,
  openTask,
  onOpen,
  isBesides = false,
}: Readonly<{
  cards: Cards;
  shown: ReadonlyMap<Status, readonly Card[]>;
  openTask: string | undefined;
  onOpen(id: string): void;
  /** With what is linked to nothing, a map and a measure: where it has the view to itself. */
  isBesides?: boolean;
}>): ReactNode {
  const drawn = useMemo(() => layGraph(cards, [...shown.values()].flat()), [cards, shown]);
  const { nodes, edges, width, height, left } = drawn;
  const { box, zoom, zoomTo, sight, look, goTo } = useSheet(drawn);
  if (nodes.length === 0) {
    const first = [...shown.values()].flat().find(({ status }) => !isOver(status));
    return (
      <Empty
        title="No task here waits for another"
        action={
          first && (
            <button className="button" onClick={() => onOpen(first.id)}>
              Open a task
            </button>
          )
        }
        command="holdfast board link <task> <what has to be done first>"
      >
        Open a task and name what it waits for, or let an agent call <code>link_tasks</code>; the order of the
        work is drawn here.
      </Empty>
    );
  }
  const alone = isBesides ? unlinked(shown, nodes) : [];
  return (
    <div className="flex min-h-0 flex-1 flex-col lg:flex-row">
      <div className="relative flex min-h-0 min-w-0 flex-1">
        <div
          ref={box}
          className="min-h-0 flex-1 cursor-grab overflow-auto p-4 active:cursor-grabbing"
          tabIndex={0}
          role="region"
          aria-label="Graph of dependencies"
          onPointerDown={startPan}
          onScroll={look}
        >
          {left > 0 && (
            <p className="text-meta text-faint mb-2">
              {left.toLocaleString()} more are left out; filter to see them.
            </p>
          )}
          <div className="relative" style={{ width, height, zoom }}>
            <svg className="absolute inset-0" width={width} height={height} aria-hidden="true">
              <defs>
                {(['edge', 'amber'] as const).map((colour) => (
                  <marker
                    key={colour}
                    id={`arrow-${colour}`}
                    viewBox="0 0 8 8"
                    refX="7"
                    refY="4"
                    markerWidth="7"
                    markerHeight="7"
                    orient="auto"
                  >
                    <path
                      d="M0 0.5 7.500 4 0 7.500z"
                      className={colour === 'amber' ? 'fill-amber' : 'fill-edge'}
                    />
                  </marker>
                ))}
              </defs>
              {edges.map((edge) => (
                <path
                  key={`${edge.from.card.id} ${edge.to.card.id}`}
                  d={lineOf(edge)}
                  fill="none"
                  className={edge.isOpen ? 'stroke-amber' : 'stroke-edge'}
                  strokeWidth={edge.isOpen ? 1.6 : 1}
                  strokeDasharray={edge.isOpen ? undefined : '3 3'}
                  markerEnd={`url(#arrow-${edge.isOpen ? 'amber' : 'edge'})`}
                />
              ))}
            </svg>
            {nodes.map(({ card, x, y }) => (
              <button
                key={card.id}
                onClick={() => onOpen(card.id)}
                className={`bg-raised absolute flex items-center gap-2 rounded-one border px-2.5 text-left ${card.id === openTask ? 'border-tide' : 'border-line hover:border-edge'} ${isOver(card.status) ? 'text-soft' : ''}`}
                style={{ left: x, top: y, ...NODE }}
                title={card.title}
              >
                <StatusMark status={card.status} />
                <span className="line-clamp-2 text-[12px] leading-4">
                  <Foreign text={card.title} />
                </span>
              </button>
            ))}
          </div>
        </div>
        {isBesides && (
          <div className="pointer-events-none absolute right-3 bottom-3 flex flex-col items-end gap-2">
            <Minimap nodes={nodes} size={{ width, height }} sight={sight} onGo={goTo} />
            <span className="border-line bg-raised pointer-events-auto flex rounded-one border">
              <button
                className="quiet min-w-7 justify-center"
                aria-label="Smaller"
                onClick={() => zoomTo(zoom - 0.2)}
              >
                −
              </button>
              <button className="quiet text-meta" title="As it is" onClick={() => zoomTo(1)}>
                {Math.round(zoom * 100)}%
              </button>
              <button
                className="quiet min-w-7 justify-center"
                aria-label="Larger"
                onClick={() => zoomTo(zoom + 0.2)}
              >
                +
              </button>
            </span>
          </div>
        )}
      </div>
      {alone.length > 0 && (
        <section
          aria-label="Linked to nothing"
          className="border-line max-h-40 shrink-0 overflow-y-auto border-t p-3 lg:max-h-none lg:w-64 lg:border-t-0 lg:border-l"
          tabIndex={0}
        >
          <h2 className="section-title mb-1">Linked to nothing ({alone.length.toLocaleString()})</h2>
          <ul>
            {alone.slice(0, MOST_ALONE).map((card) => (
              <li key={card.id} className="row min-h-7">
                <StatusMark status={card.status} />
                <CardName card={card} onOpen={onOpen} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

const MOST_ALONE = 100;

function unlinked(shown: ReadonlyMap<Status, readonly Card[]>, nodes: readonly Node[]): readonly Card[] {
  const linked = new Set(nodes.map(({ card }) => card.id));
  return [...shown.values()].flat().filter(({ id, status }) => !linked.has(id) && !isOver(status));
}

/** From its task to the one that waits, straight through the lanes it has in the columns between. */
function lineOf({ from, to, at }: Edge): string {
  const stops = [...at, { x: to.x, y: to.y + NODE.height / 2 }];
  let [x, y] = [from.x + NODE.width, from.y + NODE.height / 2];
  let line = `M${x} ${y}`;
  for (const stop of stops) {
    const bend = (stop.x - x) / 2;
    line += `C${x + bend} ${y} ${stop.x - bend} ${stop.y} ${stop.x} ${stop.y}`;
    [x, y] = [stop.x + NODE.width, stop.y];
    if (stop !== stops.at(-1)) line += `H${x}`;
  }
  return line;
}
