import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { Foreign } from '../parts/foreign.tsx';
import { StatusMark } from '../parts/status.tsx';
import { useCards, type Cards } from './cards.ts';
import { TaskLink } from './task-link.tsx';

const ID = '([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})';
/** How the hub names a task or a run where programs read along: by its id, a task often behind its title. */
const NAMED = new RegExp(`“[^”]*” \\(task ${ID}\\)|\\btask ${ID}\\b|\\brun ${ID}\\b`, 'g');

/** The same in plain words, where there is room for one line and no link. */
export function inPlainWords(text: string, cards: Cards | undefined): string {
  return text.replace(NAMED, (_whole, behind?: string, alone?: string) => {
    const id = behind ?? alone;
    return id === undefined ? 'its run' : (cards?.get(id)?.title ?? 'a task');
  });
}

/** Foreign text in which tasks stand by their titles: thirty-six characters are no name. */
export function NamingTasks({ text }: Readonly<{ text: string }>): ReactNode {
  const named = [...text.matchAll(NAMED)];
  let from = 0;
  const parts = named.map(({ 0: whole, 1: behind, 2: alone, 3: run, index }) => {
    const before = text.slice(from, index);
    from = index + whole.length;
    return (
      <Fragment key={index}>
        <Foreign text={before} />
        {run === undefined ? <TaskWord id={(behind ?? alone)!} /> : <RunWord id={run} />}
      </Fragment>
    );
  });
  return (
    <>
      {parts}
      <Foreign text={text.slice(from)} />
    </>
  );
}

function RunWord({ id }: Readonly<{ id: string }>): ReactNode {
  return (
    <Link to="/runs/$runId" params={{ runId: id }} className="in-words">
      its run
    </Link>
  );
}

/** A task within a sentence: as it is now, and one step away. */
function TaskWord({ id }: Readonly<{ id: string }>): ReactNode {
  const { data: cards } = useCards();
  const card = cards?.get(id);
  if (!card) return cards ? 'a task that is gone' : 'a task';
  return (
    <TaskLink id={id}>
      <span className="mr-1 inline-block translate-y-[2px]">
        <StatusMark status={card.status} size={12} />
      </span>
      <Foreign text={card.title.slice(0, 120)} />
    </TaskLink>
  );
}
