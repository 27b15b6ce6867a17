import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CardName } from '../board/card.tsx';
import { type Card, useCards } from '../board/cards.ts';
import { isOver } from '../board/filter.ts';
import { useRelease } from '../board/queries.ts';
import { useHub } from '../frame/hub.ts';
import { useOpenTask, useProject } from '../frame/place.ts';
import type { Waiting } from '../frame/use-waiting.ts';
import { Agent } from '../parts/agent.tsx';
import { useNow } from '../parts/clock.ts';
import { Due } from '../parts/due.tsx';
import { Refused } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Moment } from '../parts/time.tsx';
import { Asked } from './asked.tsx';
import { Block } from './block.tsx';
import { Line } from './line.tsx';
import { isOf } from '../frame/of-project.ts';

/** Everything that goes on only when a person has decided. Nothing, when nothing does. */
export function ForYou({
  waiting: { approvals, questions, reviews, landings, stale, quarantined, dead, count },
}: Readonly<{ waiting: Waiting }>): ReactNode {
  const [, open] = useOpenTask();
  const overdue = useOverdue();
  const isSignedIn = useHub().data?.isSignedIn === true;
  if (count === 0 && overdue.length === 0) return null;
  return (
    <Block title={<span className="text-coral">Waits for you</span>}>
      <ul>
        {approvals.slice(0, SHOWN).map((approval) => (
          <Asked key={approval.id} approval={approval} />
        ))}
        <More count={approvals.length - SHOWN} what="to decide" to="/approvals" />
        {questions.slice(0, SHOWN).map((run) => (
          <li key={run.task_id}>
            <Line
              icon="runs"
              action={
                <Link to="/runs/$runId" params={{ runId: run.task_id }} className="button">
                  Answer
                </Link>
              }
            >
              <span className="shrink-0">
                <Agent name={run.instance} /> asks
              </span>
              <span className="border-edge text-soft min-w-0 flex-1 basis-40 truncate border-l-2 pl-2">
                <Foreign text={run.last_message ?? ''} />
              </span>
            </Line>
          </li>
        ))}
        <More count={questions.length - SHOWN} what="that ask something" to="/runs" />
        {reviews.slice(0, SHOWN).map((card) => (
          <li key={card.id}>
            <Line
              icon="eye"
              action={
                // A review is for who has signed in; its task is for everybody.
                card.branchRef === null || !isSignedIn ? (
                  <button className="button" onClick={() => open(card.id)}>
                    Review
                  </button>
                ) : (
                  <Link to="/review/$reviewId" params={{ reviewId: card.id }} className="button">
                    Review
                  </Link>
                )
              }
            >
              <span className="shrink-0">
                <Agent name={card.assigneeAgentId ?? 'Somebody'} /> handed in
              </span>
              <CardName card={card} onOpen={open} className="text-tide" />
              {card.checks && (
                <span className="text-meta text-faint shrink-0 sm:ml-auto sm:pr-2">
                  {card.checks.satisfied} of {card.checks.total} checks
                </span>
              )}
            </Line>
          </li>
        ))}
        <More count={reviews.length - SHOWN} what="handed in" to="/review" />
        {landings.slice(0, SHOWN).map((landing) => (
          <li key={landing.id}>
            <Line
              icon="landing"
              action={
                <Link to="/landing" className="button">
                  Look
                </Link>
              }
            >
              <CardName
                card={{ id: landing.task, title: landing.title }}
                onOpen={open}
                className="text-tide"
              />
              <span className="text-soft shrink-0">wants to land on {landing.target}</span>
            </Line>
          </li>
        ))}
        <More count={landings.length - SHOWN} what="to land" to="/landing" />
        {stale.slice(0, SHOWN).map((card) => (
          <Stale key={card.id} card={card} />
        ))}
        <More count={stale.length - SHOWN} what="held by nobody who is here" to="/board" q="is:lapsed" />
        {overdue.slice(0, SHOWN).map((card) => (
          <li key={card.id}>
            <Line icon="wait" isAmber>
              <CardName card={card} onOpen={open} className="text-tide" />
              <span className="text-amber flex shrink-0 items-center gap-1.5">
                was due <Due day={card.due!} />
              </span>
            </Line>
          </li>
        ))}
        <More count={overdue.length - SHOWN} what="overdue" to="/board" q="is:overdue" />
        {quarantined.map(({ name, count: tools, flagged }) => (
          <li key={name}>
            <Line
              icon="sources"
              action={
                <Link to="/sources/$name" params={{ name }} className="button">
                  Look
                </Link>
              }
            >
              <span className="min-w-0">
                <strong className="font-medium">{name}</strong> has {tools} {tools === 1 ? 'tool' : 'tools'}{' '}
                that nobody has looked at
                {flagged.length > 0 && (
                  <span className="text-amber [overflow-wrap:anywhere]">
                    , {flagged.length} with suspicious words:{' '}
                    <Foreign text={flagged.join('; ').slice(0, 200)} />
                  </span>
                )}
              </span>
            </Line>
          </li>
        ))}
        {dead > 0 && (
          <li>
            <Line
              icon="letter"
              action={
                <Link to="/mail" search={{ view: 'expired' }} className="button">
                  Read
                </Link>
              }
            >
              {dead} {dead === 1 ? 'letter was' : 'letters were'} never fetched
            </Line>
          </li>
        )}
      </ul>
    </Block>
  );
}

/** So many of a kind; the rest stands in its own view. */
const SHOWN = 12;

type MoreProps = Readonly<{
  count: number;
  what: string;
  to: '/approvals' | '/runs' | '/review' | '/landing' | '/board';
  q?: string;
}>;

function More({ count, what, to, q }: MoreProps): ReactNode {
  if (count <= 0) return null;
  return (
    <li className="row py-0.5 pl-6">
      <Link to={to} {...(q !== undefined && { search: { q } })} className="text-tide hover:underline">
        {count.toLocaleString()} more {what}
      </Link>
    </li>
  );
}

/** Open, and the day it was due has passed where the reader is; the longest ago first. */
function useOverdue(): readonly Card[] {
  const project = useProject();
  const { data: cards } = useCards();
  // Swedes write days as the hub does.
  const today = new Date(useNow()).toLocaleDateString('sv');
  return [...(cards?.values() ?? [])]
    .filter(({ due, status }) => due !== null && due < today && !isOver(status))
    .filter(({ teamId }) => isOf(project, teamId))
    .sort((a, b) => a.due!.localeCompare(b.due!));
}

/** Held by somebody who is not there any more, or was never seen to take it up. */
function Stale({ card }: Readonly<{ card: Card }>): ReactNode {
  const [, open] = useOpenTask();
  const release = useRelease();
  return (
    <li>
      <Line
        icon="wait"
        action={
          <button className="button" onClick={() => release.mutate(card.id)}>
            Unassign
          </button>
        }
      >
        <CardName card={card} onOpen={open} className="text-tide" />
        <span className="text-soft">
          {card.awaited ? 'was given to ' : 'is still held by '}
          <Agent name={card.assigneeAgentId!} />
          {card.awaited ? ', who has not taken it up' : ', whose lease ran out '}
          {!card.awaited && <Moment at={card.leaseUntil!} />}
        </span>
      </Line>
      <Refused error={release.error} />
    </li>
  );
}
