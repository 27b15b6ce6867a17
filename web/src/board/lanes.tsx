import { useDroppable } from '@dnd-kit/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, type CSSProperties, type ReactNode } from 'react';
import type { Status } from '../../../src/features/board/task.ts';
import { usePlace } from '../frame/place.ts';
import { shownName } from '../parts/agent.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { priorityWord } from '../parts/priority.tsx';
import { STATUS_WORDS, STATUSES, StatusMark } from '../parts/status.tsx';
import type { CardProps } from './card.tsx';
import { BoardCard } from './draggable-card.tsx';
import type { Card } from './cards.ts';
import { inColumns, NOTHING, type Columns } from './columns.ts';
import type { DropOf } from './drag-layer.tsx';
import { quoted } from './filter.ts';

export const LANES = ['project', 'agent', 'label', 'priority'] as const;
export type LaneKind = (typeof LANES)[number];

export function laneKind(text: string | undefined): LaneKind | undefined {
  return LANES.find((each) => each === text);
}

type Lane = Readonly<{ name: string; filter: string; count: number; columns: Columns }>;

/** A card stands in one lane: under its first label, if it has several. */
const LANE_OF: Readonly<Record<LaneKind, (card: Card) => string>> = {
  project: ({ teamId }) => teamId ?? '',
  agent: ({ assigneeAgentId }) => assigneeAgentId ?? '',
  label: ({ labels }) => labels[0] ?? '',
  priority: ({ priority }) => (priority === 0 ? '' : String(priority)),
};
const NONE: Readonly<Record<LaneKind, string>> = {
  project: 'No project',
  agent: 'Nobody',
  label: 'No label',
  priority: 'No priority',
};

function nameOf(kind: LaneKind, key: string): string {
  if (key === '') return NONE[kind];
  if (kind === 'agent') return shownName(key);
  return kind === 'priority' ? `${priorityWord(Number(key))} (${key})` : key;
}

function filterOf(kind: LaneKind, key: string): string {
  if (kind === 'priority') return `priority:${key === '' ? '0' : key}`;
  return `${kind}:${key === '' ? 'none' : quoted(key)}`;
}

/** So many of a cell are drawn; the lane alone shows the rest. */
const MOST = 8;

function useLanes(columns: Columns, kind: LaneKind): readonly Lane[] {
  const { order } = usePlace();
  return useMemo(() => {
    const found = Map.groupBy([...columns.values()].flat(), LANE_OF[kind]);
    return [...found]
      .sort(
        ([a], [b]) =>
          Number(a === '') - Number(b === '') ||
          (kind === 'priority' ? Number(b) - Number(a) : a.localeCompare(b)),
      )
      .map(([key, cards]) => ({
        name: nameOf(kind, key),
        filter: filterOf(kind, key),
        count: cards.length,
        columns: inColumns(cards, order),
      }));
  }, [columns, kind, order]);
}

/** Lanes below each other under one line of columns; on a phone, below each other alone. Only those in sight are there. */
export function Lanes({
  columns,
  kind,
  dropOf,
  propsOf,
  onNarrow,
}: Readonly<{
  columns: Columns;
  kind: LaneKind;
  dropOf: DropOf;
  propsOf(card: Card): Omit<CardProps, 'card'>;
  onNarrow(filter: string): void;
}>): ReactNode {
  const lanes = useLanes(columns, kind);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: lanes.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 220,
    getItemKey: (at) => lanes[at]!.filter,
    overscan: 1,
  });
  const widths = `repeat(${STATUSES.length}, 280px)`;
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-auto px-2 pb-2" tabIndex={-1}>
      <div style={{ '--columns': widths } as CSSProperties}>
        <div
          className="bg-ground sticky top-0 z-10 hidden grid-cols-(--columns) gap-2 sm:grid"
          aria-hidden="true"
        >
          {STATUSES.map((status) => (
            <span
              key={status}
              className={`text-meta flex h-8 items-center gap-1.5 truncate px-2 font-semibold ${dropOf(status).drop === 'no' ? 'opacity-45' : ''}`}
            >
              <StatusMark status={status} />
              {STATUS_WORDS[status]}
              {columns.has(status) && (
                <span className="text-faint font-normal">{columns.get(status)!.length.toLocaleString()}</span>
              )}
            </span>
          ))}
        </div>
        <div className="relative" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, key, start }) => {
            const lane = lanes[index]!;
            return (
              <section
                key={key}
                ref={rows.measureElement}
                data-index={index}
                data-lane={lane.name}
                aria-label={`${lane.name}, ${lane.count}`}
                className="absolute inset-x-0 top-0 pb-3"
                style={{ transform: `translateY(${start}px)` }}
              >
                <h2 className="border-line mb-1.5 flex items-baseline gap-2 border-b px-2 py-1">
                  <button
                    className="sticky left-2 font-semibold underline-offset-2 hover:underline"
                    onClick={() => onNarrow(lane.filter)}
                    title="Show this one alone"
                  >
                    <Foreign text={lane.name} />
                  </button>
                  <span className="text-meta text-faint">{lane.count.toLocaleString()}</span>
                </h2>
                <div className="grid items-start gap-2 sm:grid-cols-(--columns)">
                  {STATUSES.map((status) => (
                    <Cell
                      key={status}
                      status={status}
                      lane={lane}
                      drop={dropOf(status).drop}
                      propsOf={propsOf}
                      onMore={() => onNarrow(`${lane.filter} status:${status}`)}
                    />
                  ))}
                </div>
              </section>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function Cell({
  status,
  lane,
  drop,
  propsOf,
  onMore,
}: Readonly<{
  status: Status;
  lane: Lane;
  drop: 'here' | 'no' | undefined;
  propsOf(card: Card): Omit<CardProps, 'card'>;
  onMore(): void;
}>): ReactNode {
  const { setNodeRef, isOver } = useDroppable({ id: `${status}/${lane.filter}`, disabled: drop === 'no' });
  const cards = lane.columns.get(status) ?? NOTHING;
  const more = cards.length - MOST;
  return (
    <div
      ref={setNodeRef}
      data-column={status}
      className={`min-h-9 self-stretch rounded-one px-1 ${cards.length === 0 && drop !== 'here' ? 'hidden sm:block' : ''} ${drop === 'no' ? 'opacity-45' : ''} ${drop === 'here' ? (isOver ? 'bg-tide-wash outline-tide outline-2' : 'outline-edge outline-1 outline-dashed') : ''}`}
    >
      {/* On a phone a lane is one list: each part of it says where it stands. */}
      <p className="text-meta text-soft flex h-7 items-center gap-1.5 sm:hidden" aria-hidden="true">
        <StatusMark status={status} /> {STATUS_WORDS[status]}
      </p>
      {cards.length > 0 && (
        <ol className="flex flex-col gap-1.5" aria-label={STATUS_WORDS[status]}>
          {cards.slice(0, MOST).map((card) => (
            <li key={card.id}>
              <BoardCard card={card} {...propsOf(card)} />
            </li>
          ))}
        </ol>
      )}
      {more > 0 && (
        <button className="quiet mt-1 w-full justify-center" onClick={onMore}>
          {more.toLocaleString()} more
        </button>
      )}
    </div>
  );
}
