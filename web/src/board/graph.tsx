import { useMemo, type ReactNode } from 'react';
import type { Status } from '../../../src/features/board/task.ts';
import { Empty } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { StatusMark } from '../parts/status.tsx';
import type { Card, Cards } from './cards.ts';
import { isOver } from './filter.ts';
import { layGraph, NODE, type Edge } from './graph-layout.ts';

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
  return (
    <div className="min-h-0 flex-1 overflow-auto p-4" tabIndex={0} aria-label="Graph of dependencies">
      {left > 0 && (
        <p className="text-meta text-faint mb-2">
          {left.toLocaleString()} more are left out; filter to see them.
        </p>
      )}
      <div className="relative" style={{ width, height }}>
        <svg className="absolute inset-0" width={width} height={height} aria-hidden="true">
          {edges.map((edge) => (
            <path
              key={`${edge.from.card.id} ${edge.to.card.id}`}
              d={lineOf(edge)}
              fill="none"
              className={edge.isOpen ? 'stroke-amber' : 'stroke-edge'}
              strokeWidth={edge.isOpen ? 1.6 : 1}
              strokeDasharray={edge.isOpen ? undefined : '3 3'}
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
