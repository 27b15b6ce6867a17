import type { ReactNode } from 'react';
import { Agent, type Life } from '../parts/agent.tsx';
import { useNow } from '../parts/clock.ts';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Bar, span } from '../parts/time.tsx';
import type { Card } from './cards.ts';
import { isOver } from './filter.ts';
import type { RunMark } from './queries.ts';

export type CardProps = Readonly<{
  card: Card;
  waits: readonly Card[];
  leaseMs: number;
  life: Life | undefined;
  /** A run is at it, or was and ended badly. */
  run: RunMark | undefined;
  /** So many calls at it were kept from running. */
  refused: number;
  /** The branches that its own does not go together with. */
  collides: readonly string[];
  isOpen: boolean;
  isChosen: boolean;
  isPicked: boolean;
  project: string | undefined;
  onOpen(id: string): void;
  onPick(id: string): void;
}>;

/** A task as one line names it, wherever a page does; it leads to the whole. */
export function CardName({
  card,
  onOpen,
  className = '',
}: Readonly<{
  card: Pick<Card, 'id' | 'title'>;
  onOpen(id: string): void;
  className?: string;
}>): ReactNode {
  return (
    <button
      className={`min-w-0 truncate text-left underline-offset-2 hover:underline ${className}`}
      onClick={() => onOpen(card.id)}
    >
      <Foreign text={card.title} />
    </button>
  );
}

export function Face({
  card,
  waits,
  leaseMs,
  life,
  run,
  refused,
  collides,
  project,
}: Omit<CardProps, 'onOpen' | 'onPick' | 'isOpen' | 'isChosen' | 'isPicked'>): ReactNode {
  return (
    <>
      <span
        className={`line-clamp-2 break-words ${isOver(card.status) ? 'text-soft' : ''}`}
        title={card.title}
        dir="auto"
      >
        <Foreign text={card.title} />
      </span>
      <Holder card={card} leaseMs={leaseMs} life={life} />
      <Marks {...{ card, waits, project, run, refused, collides }} />
    </>
  );
}

function Holder({ card, leaseMs, life }: Pick<CardProps, 'card' | 'leaseMs' | 'life'>): ReactNode {
  const now = useNow();
  if (card.assigneeAgentId === null) return null;
  const isDone = isOver(card.status);
  const lapsed = !isDone && card.leaseUntil !== null && card.leaseUntil <= now;
  const hasLease = !isDone && !card.awaited && card.leaseUntil !== null;
  return (
    <span className="text-meta text-soft mt-1 block">
      <span className="flex min-w-0 items-center gap-2">
        <Agent name={card.assigneeAgentId} life={isDone ? undefined : life} />
        {card.awaited && <span className="text-faint ml-auto shrink-0">not taken up</span>}
        {hasLease && (
          <span className={`ml-auto shrink-0 ${lapsed ? 'text-amber' : 'text-faint'}`}>
            {lapsed ? 'lapsed' : span(card.leaseUntil! - now)}
          </span>
        )}
      </span>
      {hasLease && <Bar until={card.leaseUntil!} whole={leaseMs} word="lease" className="mt-1 w-full" />}
    </span>
  );
}

/** One line: what has no room on it is left out, the project first. */
function Marks({
  card,
  waits,
  project,
  run,
  refused,
  collides,
}: Pick<CardProps, 'card' | 'waits' | 'project' | 'run' | 'refused' | 'collides'>): ReactNode {
  const { checks, comments, priority, teamId, branchRef, labels } = card;
  const isWaiting = waits.length > 0 && !isOver(card.status);
  const showsTeam = project === undefined && teamId !== null;
  const hasMarks = isWaiting || checks || comments > 0 || priority !== 0 || branchRef !== null;
  const isAlive = !isOver(card.status);
  const shownRun = isAlive || run === 'runs' || run === 'asks' ? run : undefined;
  const isRefused = isAlive && refused > 0;
  if (!hasMarks && !showsTeam && labels.length === 0 && shownRun === undefined && !isRefused) return null;
  return (
    <span className="text-meta text-faint mt-1 flex h-[18px] min-w-0 flex-wrap items-center gap-x-2.5 overflow-hidden">
      {isRefused && (
        <span
          className="text-amber flex shrink-0 items-center gap-0.5"
          title={`${refused} ${refused === 1 ? 'call was' : 'calls were'} kept from running`}
        >
          <Icon name="close" size={11} />
          {refused} refused
        </span>
      )}
      {(shownRun === 'failed' || shownRun === 'lost') && (
        <span className="text-amber flex shrink-0 items-center gap-0.5">
          <Icon name="close" size={11} />
          {shownRun === 'failed' ? 'run failed' : 'run was lost'}
        </span>
      )}
      {isAlive && collides.length > 0 && (
        <span
          className="text-amber flex shrink-0 items-center gap-0.5"
          title={`Its branch does not go together with ${collides.join(', ')}`}
        >
          <Icon name="collision" size={12} />
          {collides.length === 1 ? 'conflict' : `${collides.length} conflicts`}
        </span>
      )}
      {priority !== 0 && (
        <span className="flex shrink-0 items-center gap-0.5" title={`Priority ${priority}`}>
          <Icon name="up" size={11} className={priority < 0 ? 'rotate-180' : ''} />
          {Math.abs(priority)}
        </span>
      )}
      {isWaiting && (
        <span
          className="text-amber flex min-w-0 flex-1 basis-20 items-center gap-1"
          title={`Waits for ${waits.map(({ title }) => title).join(', ')}`}
        >
          <Icon name="wait" size={12} />
          <span className="truncate">
            <Foreign text={waits[0]!.title} />
          </span>
          {waits.length > 1 && <span className="shrink-0">+{waits.length - 1}</span>}
        </span>
      )}
      {checks && (
        <span
          className={`flex shrink-0 items-center gap-0.5 ${checks.satisfied === checks.total ? 'text-kelp' : ''}`}
          title={`${checks.satisfied} of ${checks.total} checks passed`}
        >
          <Icon name="tick" size={12} />
          {checks.satisfied}/{checks.total}
        </span>
      )}
      {comments > 0 && (
        <span className="flex shrink-0 items-center gap-0.5" title={`${comments} comments`}>
          <Icon name="comment" size={12} />
          {comments}
        </span>
      )}
      {branchRef !== null && (
        <span className="shrink-0" title={`Branch ${branchRef}`}>
          <Icon name="branch" size={12} />
        </span>
      )}
      {(run === 'runs' || run === 'asks') && (
        <span className={`flex shrink-0 items-center gap-0.5 ${run === 'asks' ? 'text-coral' : 'text-tide'}`}>
          <Icon name="runs" size={12} />
          {run === 'asks' ? 'asks' : 'run'}
        </span>
      )}
      {labels.map((label) => (
        <span key={label} className="border-line max-w-full truncate rounded-full border px-1.5">
          <Foreign text={label} />
        </span>
      ))}
      {showsTeam && <span className="max-w-full truncate">{teamId}</span>}
    </span>
  );
}
