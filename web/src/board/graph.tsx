import { useMemo, type ReactNode } from 'react';
import type { Status } from '../../../src/features/board/task.ts';
import { Empty } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { StatusMark } from '../parts/status.tsx';
import type { Card, Cards } from './cards.ts';
import { isOver, waitsFor } from './filter.ts';

const WIDTH = 208;
const HEIGHT = 40;
const GAP_X = 56;
const GAP_Y = 10;
const MOST = 400;

type Node = Readonly<{ card: Card; x: number; y: number }>;

/** Dependencies from left to right: what must come first stands further left. What holds others up stands out. */
export function Graph({
  cards,
  shown,
  openTask,
  onOpen,
}: Readonly<{
  cards: Cards;
  shown: ReadonlyMap<Status, readonly Card[]>;
  openTask: string | undefined;
  onOpen(id: string): void;
}>): ReactNode {
  const { nodes, edges, width, height, left } = useMemo(
    () => lay(cards, [...shown.values()].flat()),
    [cards, shown],
  );
  if (nodes.size === 0)
    return (
      <Empty title="No task here waits for another">
        Open a task and name what it waits for, or let an agent call <code>link_tasks</code>; the order of the
        work is drawn here.
      </Empty>
    );
  return (
    <div className="min-h-0 flex-1 overflow-auto p-4" tabIndex={0} aria-label="Graph of dependencies">
      {left > 0 && (
        <p className="text-meta text-faint mb-2">
          {left.toLocaleString()} more are left out; filter to see them.
        </p>
      )}
      <div className="relative" style={{ width, height }}>
        <svg className="absolute inset-0" width={width} height={height} aria-hidden="true">
          {edges.map(({ from, to, isOpen }) => {
            const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2];
            const bend = Math.max(20, (x2 - x1) / 2);
            return (
              <path
                key={`${from.card.id} ${to.card.id}`}
                d={`M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`}
                fill="none"
                className={isOpen ? 'stroke-amber' : 'stroke-edge'}
                strokeWidth={isOpen ? 1.6 : 1}
                strokeDasharray={isOpen ? undefined : '3 3'}
              />
            );
          })}
        </svg>
        {[...nodes.values()].map(({ card, x, y }) => (
          <button
            key={card.id}
            onClick={() => onOpen(card.id)}
            className={`bg-raised absolute flex items-center gap-2 rounded-one border px-2.5 text-left ${card.id === openTask ? 'border-tide' : 'border-line hover:border-edge'} ${isOver(card.status) ? 'text-soft' : ''}`}
            style={{ left: x, top: y, width: WIDTH, height: HEIGHT }}
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
  );
}

function lay(cards: Cards, wanted: readonly Card[]) {
  const linked = new Set<string>();
  for (const card of wanted) for (const id of card.dependsOn) if (cards.has(id)) linked.add(card.id).add(id);
  const open = [...linked].map((id) => cards.get(id)!);
  const shown = open
    .sort((a, b) => Number(isOver(a.status)) - Number(isOver(b.status)) || a.createdAt - b.createdAt)
    .slice(0, MOST);
  const ids = new Set(shown.map(({ id }) => id));
  const depths = new Map<string, number>();
  const depthOf = (card: Card): number => {
    const known = depths.get(card.id);
    if (known !== undefined) return known;
    depths.set(card.id, 0);
    const depth =
      Math.max(-1, ...card.dependsOn.filter((id) => ids.has(id)).map((id) => depthOf(cards.get(id)!))) + 1;
    depths.set(card.id, depth);
    return depth;
  };
  const layers = Map.groupBy(shown, depthOf);
  const nodes = new Map<string, Node>();
  for (const depth of [...layers.keys()].sort((a, b) => a - b)) {
    // Beside what it waits for: lines stay short.
    const place = (card: Card) =>
      mean(card.dependsOn.map((id) => nodes.get(id)?.y).filter((y) => y !== undefined));
    const layer = layers
      .get(depth)!
      .map((card) => ({ card, at: place(card) }))
      .sort((a, b) => a.at - b.at);
    layer.forEach(({ card }, i) =>
      nodes.set(card.id, { card, x: depth * (WIDTH + GAP_X), y: i * (HEIGHT + GAP_Y) }),
    );
  }
  const edges = shown.flatMap((card) => {
    const waits = new Set(waitsFor(card, cards).map(({ id }) => id));
    return card.dependsOn
      .filter((id) => nodes.has(id))
      .map((id) => ({
        from: nodes.get(id)!,
        to: nodes.get(card.id)!,
        isOpen: waits.has(id) && !isOver(card.status),
      }));
  });
  const all = [...nodes.values()];
  return {
    nodes,
    edges,
    left: open.length - shown.length,
    width: Math.max(0, ...all.map(({ x }) => x + WIDTH)) + 8,
    height: Math.max(0, ...all.map(({ y }) => y + HEIGHT)) + 8,
  };
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
