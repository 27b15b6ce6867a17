import type { Cards } from '../board/cards.ts';
import type { Run } from './queries.ts';

/** A run is called by what it was started for: its task, or the first line of what it was asked. */
export function titleOf(run: Run, cards: Cards | undefined): string {
  const task = run.board_task === undefined ? undefined : cards?.get(run.board_task);
  return task?.title ?? run.asked ?? `Run of ${run.instance}`;
}
