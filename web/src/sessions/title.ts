import { useCards } from '../board/cards.ts';

/** How a run is told what it is for; an id is no title. */
const TASK = /^Do task ([0-9a-f]{8}-[0-9a-f-]{27}) of the Holdfast board\b/;

/** A session by what it was about: one that a run was, by its task. */
export function useTitleOf(): (title: string | null, otherwise?: string) => string {
  const { data: cards } = useCards();
  return (title, otherwise = '') => {
    const task = TASK.exec(title ?? '')?.[1];
    return (task === undefined ? undefined : cards?.get(task)?.title) ?? title ?? otherwise;
  };
}
