import { useDeferredValue, useMemo } from 'react';
import type { Status } from '../../../src/features/board/task.ts';
import { useNow } from '../parts/clock.ts';
import { STATUSES } from '../parts/status.tsx';
import type { Card, Cards } from './cards.ts';
import { asksHub, isEmpty, isOver, isTimed, matches, parseFilter } from './filter.ts';
import { useFound } from './queries.ts';
import { isOf } from '../frame/of-project.ts';

/** What is shown, by status, each column in its order. */
export type Columns = ReadonlyMap<Status, readonly Card[]>;
export const NOTHING: readonly Card[] = [];

type Looking = Readonly<{ project?: string; q?: string; order?: string }>;

/** What is over is listed newest first, the rest as it will be worked on. */
export function useColumns(cards: Cards, asked: Looking): Columns {
  const { project, q = '', order } = asked;
  const filter = useMemo(() => parseFilter(q), [q]);
  const now = useNow();
  const at = isTimed(filter) ? now : 0;
  const found = useFound(q, asksHub(filter) && filter.problems.length === 0);
  const shown = useDeferredValue(cards);
  return useMemo(() => {
    const wanted = [...shown.values()].filter(
      (card) =>
        isOf(project, card.teamId) &&
        (isEmpty(filter) || matches(card, filter, { cards: shown, now: at, found })),
    );
    return inColumns(wanted, order);
  }, [shown, project, filter, at, found, order]);
}

export function inColumns(cards: readonly Card[], order?: string): Columns {
  const columns = Map.groupBy(cards, ({ status }) => status);
  const chosen = ORDERS[order ?? ''];
  for (const [status, list] of columns) list.sort(chosen?.by ?? (isOver(status) ? byEnd : byPlace));
  return columns;
}

const firstId = (a: Card, b: Card) => (a.id < b.id ? -1 : 1);
const byPlace = (a: Card, b: Card) => (a.place < b.place ? -1 : a.place > b.place ? 1 : firstId(a, b));
const byEnd = (a: Card, b: Card) => b.updatedAt - a.updatedAt || -firstId(a, b);
const byDue = (a: Card, b: Card) =>
  (a.due ?? '~') < (b.due ?? '~') ? -1 : a.due === b.due ? byPlace(a, b) : 1;

/** In what order one looks; without any, as they were put. */
export const ORDERS: Readonly<Record<string, Readonly<{ name: string; by(a: Card, b: Card): number }>>> = {
  due: { name: 'Due first', by: byDue },
  updated: { name: 'Changed last', by: byEnd },
  created: { name: 'Newest', by: (a, b) => b.createdAt - a.createdAt || firstId(a, b) },
  cost: { name: 'Dearest', by: (a, b) => b.costUsd - a.costUsd || byPlace(a, b) },
};

/** The card beside this one; from nowhere, the first. */
export function neighbour(
  columns: Columns,
  from: string | undefined,
  step: Readonly<{ down: number; across: number }>,
): string | undefined {
  const order = STATUSES.map((status) => columns.get(status) ?? NOTHING).filter(
    (column) => column.length > 0,
  );
  const at = order.findIndex((column) => column.some(({ id }) => id === from));
  if (at < 0) return order[0]?.[0]?.id;
  const row = order[at]!.findIndex(({ id }) => id === from);
  if (step.across === 0) return order[at]![within(row + step.down, order[at]!.length)]?.id;
  const column = order[within(at + step.across, order.length)]!;
  return column[Math.min(row, column.length - 1)]?.id;
}

function within(at: number, length: number): number {
  return Math.max(0, Math.min(length - 1, at));
}
