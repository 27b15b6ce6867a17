import { useMemo, useRef } from 'react';
import type { Status } from '../../../src/features/board/task.ts';
import { followCard } from '../frame/keep-focus.ts';
import type { Keys } from '../frame/keys.ts';
import { STATUS_WORDS, STATUSES } from '../parts/status.tsx';
import { neighbour, type Columns } from './columns.ts';

export type BoardKeyParts = Readonly<{
  columns: Columns;
  chosen: string | undefined;
  setChosen(id: string): void;
  picked: ReadonlySet<string>;
  setPicked(change: (before: ReadonlySet<string>) => ReadonlySet<string>): void;
  openTask: string | undefined;
  setOpenTask(id: string | undefined): void;
  go(ids: readonly string[], to: Status): void;
  /** Offers where these may go. */
  offer(ids: readonly string[]): void;
  focus(): void;
  startNew(): void;
  /** One step up or down among the cards of its column. */
  put(id: string, by: -1 | 1): void;
}>;

/** The board under the fingers: walking, picking, opening, moving. */
export function useBoardKeys(parts: BoardKeyParts): Keys {
  const latest = useRef(parts);
  latest.current = parts;
  return useMemo(() => {
    const step = (down: number, across: number) => () => {
      const { columns, chosen, setChosen, openTask, setOpenTask } = latest.current;
      const next = neighbour(columns, chosen ?? openTask, { down, across });
      if (next === undefined) return;
      setChosen(next);
      if (openTask !== undefined) setOpenTask(next);
      else followCard(next);
    };
    /** The card one is at. */
    const here = () => {
      const one = latest.current.chosen ?? latest.current.openTask;
      return one === undefined ? [] : [one];
    };
    const mine = () => (latest.current.picked.size > 0 ? [...latest.current.picked] : here());
    const column = () => {
      const { columns, chosen } = latest.current;
      return [...columns.values()].find((cards) => cards.some(({ id }) => id === chosen)) ?? [];
    };
    const moves = STATUSES.map((status, at) => {
      const run = () => latest.current.go(mine(), status);
      return [String(at + 1), { does: `Move to ${STATUS_WORDS[status]}`, run }] as const;
    });
    return {
      '/': { does: 'Filter', run: () => latest.current.focus() },
      n: { does: 'New task', run: () => latest.current.startNew() },
      j: { does: 'Next card', run: step(1, 0) },
      k: { does: 'Card before', run: step(-1, 0) },
      h: { does: 'Column to the left', run: step(0, -1) },
      l: { does: 'Column to the right', run: step(0, 1) },
      ']': { does: 'Next card, open', run: step(1, 0) },
      '[': { does: 'Card before, open', run: step(-1, 0) },
      J: { does: 'Put one down', run: () => here().forEach((id) => latest.current.put(id, 1)) },
      K: { does: 'Put one up', run: () => here().forEach((id) => latest.current.put(id, -1)) },
      o: { does: 'Open', run: () => latest.current.setOpenTask(here()[0]) },
      m: { does: 'Move, where it may go', run: () => latest.current.offer(mine()) },
      x: {
        does: 'Pick several',
        run: () => latest.current.setPicked((before) => here().reduce(toggled, before)),
      },
      X: {
        does: 'Pick the whole column',
        run: () =>
          latest.current.setPicked((before) => new Set([...before, ...column().map(({ id }) => id)])),
      },
      ...Object.fromEntries(moves),
    };
  }, []);
}

export function toggled(before: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(before);
  if (!next.delete(id)) next.add(id);
  return next;
}
