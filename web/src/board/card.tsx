import type { ReactNode } from 'react';
import { Agent, type Life } from '../parts/agent.tsx';
import { useNow } from '../parts/clock.ts';
import { Foreign } from '../parts/foreign.tsx';
import { Due } from '../parts/due.tsx';
import { Face as Portrait } from '../parts/face.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { PriorityBars } from '../parts/priority.tsx';
import { Project } from '../parts/project.tsx';
import { LandingState } from '../landing/state.tsx';
import type { LandingView } from '../landing/queries.ts';
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
  /** How far it is on its way to the main branch. */
  landing: LandingView['state'] | undefined;
  /** What people do not want to see on cards. */
  hidden: string;
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

export function Face(
  props: Omit<CardProps, 'onOpen' | 'onPick' | 'isOpen' | 'isChosen' | 'isPicked'>,
): ReactNode {
  const { card, leaseMs, life } = props;
  // What is over is history: one line of it is enough.
  const isDone = isOver(card.status);
  return (
    <>
      <span
        className={`break-words ${isDone ? 'text-soft line-clamp-1' : 'line-clamp-2'}`}
        title={card.title}
        dir="auto"
      >
        <Foreign text={card.title} />
      </span>
      {!isDone && <Holder card={card} leaseMs={leaseMs} life={life} />}
      <Marks {...props} />
    </>
  );
}

function Holder({ card, leaseMs, life }: Pick<CardProps, 'card' | 'leaseMs' | 'life'>): ReactNode {
  const now = useNow();
  if (card.assigneeAgentId === null) return null;
  const lapsed = card.leaseUntil !== null && card.leaseUntil <= now;
  const hasLease = !card.awaited && card.leaseUntil !== null;
  return (
    <span className="text-meta text-soft mt-1.5 block">
      <span className="flex min-w-0 items-center gap-2">
        <Agent name={card.assigneeAgentId} life={life} />
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

/** One line, always in the same order: how urgent, whose, what is wrong, how far, what it cost. The gap keeps the next line out of sight. */
function Marks({
  card,
  waits,
  project,
  run,
  refused,
  collides,
  landing,
  hidden,
}: Pick<
  CardProps,
  'card' | 'waits' | 'project' | 'run' | 'refused' | 'collides' | 'landing' | 'hidden'
>): ReactNode {
  const { checks, comments, priority, teamId, branchRef, labels, due, costUsd } = card;
  const isAlive = !isOver(card.status);
  const isWaiting = waits.length > 0 && isAlive;
  const shownRun = isAlive || run === 'runs' || run === 'asks' ? run : undefined;
  const marks = [
    isAlive && priority !== 0 && <PriorityBars key="priority" priority={priority} />,
    !isAlive && card.assigneeAgentId !== null && <Portrait key="who" name={card.assigneeAgentId} size={16} />,
    isAlive && refused > 0 && (
      <Wrong
        key="refused"
        title={`${refused} ${refused === 1 ? 'call was' : 'calls were'} kept from running`}
      >
        {refused} refused
      </Wrong>
    ),
    (shownRun === 'failed' || shownRun === 'lost') && (
      <Wrong key="run">{shownRun === 'failed' ? 'run failed' : 'run was lost'}</Wrong>
    ),
    isAlive && collides.length > 0 && (
      <Wrong
        key="collides"
        icon="collision"
        title={`Its branch does not go together with ${collides.join(', ')}`}
      >
        {collides.length === 1 ? 'conflict' : `${collides.length} conflicts`}
      </Wrong>
    ),
    isWaiting && (
      <span
        key="waits"
        className="text-amber flex min-w-0 flex-1 basis-20 items-center gap-1"
        title={`Blocked by ${waits.map(({ title }) => title).join(', ')}`}
      >
        <Icon name="wait" size={12} />
        <span className="truncate">
          <Foreign text={waits[0]!.title} />
        </span>
        {waits.length > 1 && <span className="shrink-0">+{waits.length - 1}</span>}
      </span>
    ),
    isAlive && due !== null && <Due key="due" day={due} />,
    checks && (
      <Count
        key="checks"
        icon="tick"
        title={`${checks.satisfied} of ${checks.total} checks passed`}
        className={checks.satisfied === checks.total ? 'text-kelp' : ''}
      >
        {checks.satisfied}/{checks.total}
      </Count>
    ),
    isAlive && comments > 0 && (
      <Count key="comments" icon="comment" title={`${comments} comments`}>
        {comments}
      </Count>
    ),
    landing && isAlive ? (
      <span key="landing" className="shrink-0">
        <LandingState state={landing} />
      </span>
    ) : (
      isAlive &&
      branchRef !== null && (
        <span key="branch" className="shrink-0" title={`Branch ${branchRef}`}>
          <Icon name="branch" size={12} />
        </span>
      )
    ),
    (run === 'runs' || run === 'asks') && (
      <Count key="runs" icon="runs" className={run === 'asks' ? 'text-coral' : 'text-tide'}>
        {run === 'asks' ? 'asks' : 'run'}
      </Count>
    ),
    costUsd > 0 && !hidden.includes('cost') && (
      <span key="cost" className="shrink-0" title="What it has cost so far">
        ${costUsd.toFixed(2)}
      </span>
    ),
    project === undefined && teamId !== null && <Project key="project" id={teamId} />,
    ...(isAlive && !hidden.includes('labels')
      ? labels.map((label) => (
          <span key={`label ${label}`} className="border-line max-w-full truncate rounded-full border px-1.5">
            <Foreign text={label} />
          </span>
        ))
      : []),
  ].filter(Boolean);
  if (marks.length === 0) return null;
  return (
    <span
      className={`text-meta text-faint flex h-[18px] min-w-0 flex-wrap items-center gap-x-2.5 gap-y-2 overflow-hidden ${isAlive ? 'mt-1.5' : 'mt-0.5'}`}
    >
      {marks}
    </span>
  );
}

type MarkProps = Readonly<{ children: ReactNode; title?: string; icon?: IconName; className?: string }>;

function Count({ children, title, icon = 'tick', className = '' }: MarkProps): ReactNode {
  return (
    <span className={`flex shrink-0 items-center gap-0.5 ${className}`} title={title}>
      <Icon name={icon} size={12} />
      {children}
    </span>
  );
}

function Wrong({ children, title, icon = 'close' }: MarkProps): ReactNode {
  return (
    <Count icon={icon} className="text-amber" {...(title !== undefined && { title })}>
      {children}
    </Count>
  );
}
