import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { useCards, type Card } from '../board/cards.ts';
import { isOver } from '../board/filter.ts';
import { useKeys } from '../frame/keys.ts';
import { useOpenTask, useProject } from '../frame/place.ts';
import { Agent } from '../parts/agent.tsx';
import { useNow } from '../parts/clock.ts';
import { Due } from '../parts/due.tsx';
import { Empty } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { PriorityBars } from '../parts/priority.tsx';
import { Project } from '../parts/project.tsx';
import { STATUS_WORDS, StatusMark } from '../parts/status.tsx';
import { Table, View, ViewUnready } from '../parts/page.tsx';
import { whenOf, WHENS, type When } from './when.ts';
import { isOf } from '../frame/of-project.ts';

const COLUMNS = [
  ['Task', 'minmax(0,1fr)'],
  ['Due', '7rem'],
  ['Status', '7.5rem'],
  ['Holder', 'minmax(6rem,11rem)'],
  ['Project', '8rem'],
  ['Checks', '4rem'],
] as const;

/** What has a day, by how near it is. What is over is history, and stands on the board. */
export function DuePage(): ReactNode {
  const { data: cards, error } = useCards();
  const project = useProject();
  const [openTask, open] = useOpenTask();
  const parts = useParts(cards, project);
  const all = [...parts.values()].flat();
  const step = (by: number) => () => {
    const at = all.findIndex(({ id }) => id === openTask);
    const next = all[Math.max(0, Math.min(all.length - 1, at + by))];
    if (next) open(next.id);
  };
  useKeys('Due', {
    j: { does: 'Next task', run: step(1) },
    k: { does: 'Task before', run: step(-1) },
    ']': { does: 'Next task', run: step(1) },
    '[': { does: 'Task before', run: step(-1) },
  });
  if (!cards) return <ViewUnready error={error} />;
  const [first] = parts.keys();
  return (
    <View title="Due" about="What has a day and is not done, the most urgent first.">
      {all.length === 0 && (
        <Empty
          title={project === undefined ? 'Nothing is due' : `Nothing of ${project} is due`}
          action={
            <Link to="/board" search={{ at: 'new' }} className="button button-main">
              Create a task with a day
            </Link>
          }
          command={'holdfast board add "Renew the certificate" --due friday'}
        >
          A task that has a day stands here until it is done. What is overdue rings on Now.
        </Empty>
      )}
      {[...parts].map(([when, due]) => (
        <section key={when} aria-label={WHENS[when]} className="mb-4">
          <h2
            className={`section-title flex items-center gap-1.5 px-4 pt-3 pb-1.5 ${when === 'late' ? 'text-amber!' : ''}`}
          >
            {WHENS[when]}
            <span className="text-faint font-normal">{due.length.toLocaleString()}</span>
          </h2>
          <Table label={WHENS[when]} columns={COLUMNS} isFurther={when !== first}>
            {due.slice(0, MOST).map((card) => (
              <Row key={card.id} card={card} isOpen={card.id === openTask} onOpen={open} />
            ))}
          </Table>
          {due.length > MOST && (
            <p className="text-soft px-4 py-2">
              <Link
                to="/board"
                search={{ q: 'has:due open', order: 'due', view: 'list' }}
                className="in-words"
              >
                {(due.length - MOST).toLocaleString()} more on the board
              </Link>
            </p>
          )}
        </section>
      ))}
    </View>
  );
}

/** Of each part; the list of the board is made for thousands. */
const MOST = 100;

function useParts(
  cards: ReadonlyMap<string, Card> | undefined,
  project: string | undefined,
): ReadonlyMap<When, readonly Card[]> {
  const now = useNow();
  const today = new Date(now).toDateString();
  return useMemo(() => {
    const due = [...(cards?.values() ?? [])]
      .filter((card) => card.due !== null && !isOver(card.status) && isOf(project, card.teamId))
      .sort((a, b) => (a.due! < b.due! ? -1 : a.due! > b.due! ? 1 : b.priority - a.priority));
    return Map.groupBy(due, (card) => whenOf(card.due!, new Date(today)));
  }, [cards, project, today]);
}

function Row({
  card,
  isOpen,
  onOpen,
}: Readonly<{ card: Card; isOpen: boolean; onOpen(id: string): void }>): ReactNode {
  const { id, title, status, due, assigneeAgentId, teamId, checks, priority } = card;
  return (
    <li>
      <button
        aria-current={isOpen}
        className={`cells hover:bg-sunken ${isOpen ? 'bg-chosen' : ''}`}
        onClick={() => onOpen(id)}
      >
        <span className="flex min-w-0 items-center gap-2">
          <PriorityBars priority={priority} />
          <span className="truncate font-medium" dir="auto" title={title}>
            <Foreign text={title} />
          </span>
        </span>
        <span className="text-meta text-soft">
          <Due day={due!} />
        </span>
        <span className="flex items-center gap-1.5">
          <StatusMark status={status} />
          <span className="truncate">{STATUS_WORDS[status]}</span>
        </span>
        <span className="min-w-0">{assigneeAgentId !== null && <Agent name={assigneeAgentId} />}</span>
        <span className="text-meta text-soft min-w-0">{teamId !== null && <Project id={teamId} />}</span>
        <span className="text-meta text-soft">{checks && `${checks.satisfied}/${checks.total}`}</span>
      </button>
    </li>
  );
}
