import { useEffect, useMemo, useRef, useState, type PointerEvent, type ReactNode } from 'react';
import type { Status } from '../../../src/features/board/task.ts';
import { Empty } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { StatusMark } from '../parts/status.tsx';
import { CardName } from './card.tsx';
import type { Card, Cards } from './cards.ts';
import { isOver } from './filter.ts';
import { layGraph, NODE, type Edge, type Node } from './graph-layout.ts';

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
  const box = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(1);
  const [sight, setSight] = useState<Sight>();
  useEffect(() => setSight(sightOf(box.current, zoom)), [zoom, shown]);
  const { nodes, edges, width, height, left } = useMemo(
    () => layGraph(cards, [...shown.values()].flat()),
    [cards, shown],
  );
  if (nodes.length === 0)
    return (
      <Empty title="No task here waits for another">
        Open a task and name what it waits for, or let an agent call <code>link_tasks</code>; the order of the
        work is drawn here.
      </Empty>
    );
  const alone = isBesides ? unlinked(shown, nodes) : [];
  return (
    <div className="flex min-h-0 flex-1">
      <div className="relative flex min-h-0 min-w-0 flex-1">
        <div
          ref={box}
          className="min-h-0 flex-1 cursor-grab overflow-auto p-4 active:cursor-grabbing"
          tabIndex={0}
          role="region"
          aria-label="Graph of dependencies"
          onPointerDown={startPan}
          onScroll={() => setSight(sightOf(box.current, zoom))}
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
            <Minimap nodes={nodes} size={{ width, height }} sight={sight} />
            <span className="border-line bg-raised pointer-events-auto flex rounded-one border">
              <button
                className="quiet min-w-7 justify-center"
                aria-label="Smaller"
                onClick={() => setZoom(Math.max(0.4, zoom - 0.2))}
              >
                −
              </button>
              <button className="quiet text-meta" title="As it is" onClick={() => setZoom(1)}>
                {Math.round(zoom * 100)}%
              </button>
              <button
                className="quiet min-w-7 justify-center"
                aria-label="Larger"
                onClick={() => setZoom(Math.min(2, zoom + 0.2))}
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
          className="border-line hidden w-64 shrink-0 overflow-y-auto border-l p-3 lg:block"
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
type Sight = Readonly<{ x: number; y: number; width: number; height: number }>;

function unlinked(shown: ReadonlyMap<Status, readonly Card[]>, nodes: readonly Node[]): readonly Card[] {
  const linked = new Set(nodes.map(({ card }) => card.id));
  return [...shown.values()].flat().filter(({ id, status }) => !linked.has(id) && !isOver(status));
}

/** What of the drawing is in sight, in its own measure. */
function sightOf(box: HTMLElement | null, zoom: number): Sight | undefined {
  if (!box) return undefined;
  const { scrollLeft, scrollTop, clientWidth, clientHeight } = box;
  return {
    x: scrollLeft / zoom,
    y: scrollTop / zoom,
    width: clientWidth / zoom,
    height: clientHeight / zoom,
  };
}

/** The ground is dragged; what stands on it is clicked. */
function startPan(event: PointerEvent<HTMLElement>): void {
  if (event.button !== 0 || (event.target as Element).closest('button')) return;
  const box = event.currentTarget;
  const [x, y] = [box.scrollLeft + event.clientX, box.scrollTop + event.clientY];
  const move = (to: globalThis.PointerEvent) => box.scrollTo(x - to.clientX, y - to.clientY);
  const end = () => {
    removeEventListener('pointermove', move);
    removeEventListener('pointerup', end);
  };
  addEventListener('pointermove', move);
  addEventListener('pointerup', end);
}

/** Where one is, when not all of it is in sight. */
function Minimap({
  nodes,
  size,
  sight,
}: Readonly<{ nodes: readonly Node[]; size: { width: number; height: number }; sight: Sight | undefined }>) {
  if (!sight || (size.width <= sight.width && size.height <= sight.height)) return null;
  return (
    <svg
      viewBox={`0 0 ${size.width} ${size.height}`}
      className="border-line bg-raised max-h-28 w-44 rounded-one border"
      aria-hidden="true"
    >
      {nodes.map(({ card, x, y }) => (
        <rect key={card.id} x={x} y={y} {...NODE} rx="8" className="fill-edge" />
      ))}
      <rect {...sight} className="stroke-tide fill-none" strokeWidth={size.width / 80} />
    </svg>
  );
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
