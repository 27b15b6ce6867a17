import type { Card, Cards } from './cards.ts';
import { isOver, waitsFor } from './filter.ts';

export const NODE = { width: 208, height: 40 } as const;
const GAP_X = 56;
const GAP_Y = 10;
/** A line that passes a column has a lane of its own there, so that it never runs behind a task. */
const LANE = 6;
const MOST = 400;

export type Node = Readonly<{ card: Card; x: number; y: number }>;
/** `at`: where the line enters and leaves each column that it passes. */
export type Edge = Readonly<{ from: Node; to: Node; at: readonly Point[]; isOpen: boolean }>;
type Point = Readonly<{ x: number; y: number }>;

/** One thing in a column: a task, or a line on its way past it. */
type Item = Readonly<{ id: string; card?: Card; before: readonly string[] }>;

/** Dependencies from left to right: what must come first stands further left. */
export function layGraph(cards: Cards, wanted: readonly Card[]) {
  const linked = new Set<string>();
  for (const card of wanted) for (const id of card.dependsOn) if (cards.has(id)) linked.add(card.id).add(id);
  const open = [...linked].map((id) => cards.get(id)!);
  const shown = open
    .sort((a, b) => Number(isOver(a.status)) - Number(isOver(b.status)) || a.createdAt - b.createdAt)
    .slice(0, MOST);
  const { columns, pathOf } = inOrder(shown);
  const middles = new Map<string, number>();
  const nodes = new Map<string, Node>();
  columns.forEach((column, depth) => {
    let free = 0;
    for (const { id, card, before } of byWish(column, middles)) {
      const height = card ? NODE.height : LANE;
      // Beside what it waits for: lines stay short and straight.
      const y = Math.max(free, wishOf(before, middles) - height / 2);
      free = y + height + GAP_Y;
      middles.set(id, y + height / 2);
      if (card) nodes.set(id, { card, x: depth * (NODE.width + GAP_X), y });
    }
  });
  const edges = shown.flatMap((card): Edge[] => {
    const waits = new Set(waitsFor(card, cards).map(({ id }) => id));
    return card.dependsOn
      .filter((id) => nodes.has(id))
      .map((id) => {
        const [from, to] = [nodes.get(id)!, nodes.get(card.id)!];
        const at = pathOf(id, card.id).map((lane, step) => ({
          x: from.x + (step + 1) * (NODE.width + GAP_X),
          y: middles.get(lane)!,
        }));
        return { from, to, at, isOpen: waits.has(id) && !isOver(card.status) };
      });
  });
  const all = [...nodes.values()];
  return {
    nodes: all,
    edges,
    left: open.length - shown.length,
    width: Math.max(0, ...all.map(({ x }) => x + NODE.width)) + 8,
    height: Math.max(0, ...all.map(({ y }) => y + NODE.height), ...middles.values()) + 8,
  };
}

/** Tasks by how many must come before them, and in between the lines that only pass. */
function inOrder(shown: readonly Card[]) {
  const known = new Map(shown.map((card) => [card.id, card]));
  const depths = new Map<string, number>();
  const depthOf = (card: Card): number => {
    const found = depths.get(card.id);
    if (found !== undefined) return found;
    depths.set(card.id, 0);
    const before = card.dependsOn.flatMap((id) => known.get(id) ?? []);
    const depth = Math.max(-1, ...before.map(depthOf)) + 1;
    depths.set(card.id, depth);
    return depth;
  };
  const columns: Item[][] = [];
  const put = (depth: number, item: Item) => void (columns[depth] ??= []).push(item);
  const pathOf = (from: string, to: string): readonly string[] => {
    const first = depths.get(from)! + 1;
    return Array.from(
      { length: Math.max(0, depths.get(to)! - first) },
      (_, step) => `${from} ${to} ${first + step}`,
    );
  };
  for (const card of shown) {
    const depth = depthOf(card);
    const before = card.dependsOn
      .filter((id) => known.has(id))
      .map((from) => {
        const lanes = pathOf(from, card.id);
        lanes.forEach((id, step) =>
          put(depths.get(from)! + 1 + step, { id, before: [step === 0 ? from : lanes[step - 1]!] }),
        );
        return lanes.at(-1) ?? from;
      });
    put(depth, { id: card.id, card, before });
  }
  return { columns, pathOf };
}

function byWish(column: readonly Item[], middles: ReadonlyMap<string, number>): readonly Item[] {
  return column
    .map((item) => ({ item, wish: wishOf(item.before, middles) }))
    .sort((a, b) => a.wish - b.wish)
    .map(({ item }) => item);
}

function wishOf(before: readonly string[], middles: ReadonlyMap<string, number>): number {
  const found = before.flatMap((id) => middles.get(id) ?? []);
  return found.length === 0 ? 0 : found.reduce((sum, y) => sum + y, 0) / found.length;
}
