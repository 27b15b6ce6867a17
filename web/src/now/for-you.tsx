import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CardName } from '../board/card.tsx';
import { type Card, useCards } from '../board/cards.ts';
import { isOver } from '../board/filter.ts';
import { useRelease } from '../board/queries.ts';
import { useOpenTask, useProject } from '../frame/place.ts';
import type { Waiting } from '../frame/use-waiting.ts';
import { Agent } from '../parts/agent.tsx';
import { useNow } from '../parts/clock.ts';
import { Refused } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Moment } from '../parts/time.tsx';
import { Asked } from './asked.tsx';
import { Block } from './block.tsx';

/** Everything that goes on only when a person has decided. Nothing, when nothing does. */
export function ForYou({
  waiting: { approvals, questions, reviews, landings, stale, quarantined, dead, count },
}: Readonly<{ waiting: Waiting }>): ReactNode {
  const [, open] = useOpenTask();
  const overdue = useOverdue();
  if (count === 0 && overdue.length === 0) return null;
  return (
    <Block title={<span className="text-coral">Waits for you</span>}>
      <ul>
        {approvals.map((approval) => (
          <Asked key={approval.id} approval={approval} />
        ))}
        {questions.map((run) => (
          <li key={run.task_id} className="row flex-wrap py-0.5">
            <Icon name="runs" className="text-coral" />
            <span className="shrink-0">
              <Agent name={run.agent} /> asks
            </span>
            <span className="border-edge text-soft min-w-0 flex-1 truncate border-l-2 pl-2">
              <Foreign text={run.last_message ?? ''} />
            </span>
            <Link to="/runs/$runId" params={{ runId: run.task_id }} className="button">
              Answer
            </Link>
          </li>
        ))}
        {reviews.map((card) => (
          <li key={card.id} className="row flex-wrap py-0.5">
            <Icon name="eye" className="text-coral" />
            <span className="shrink-0">
              <Agent name={card.assigneeAgentId ?? 'Somebody'} /> handed in
            </span>
            <CardName card={card} onOpen={open} className="text-tide" />
            <span className="ml-auto flex shrink-0 items-center gap-3">
              {card.checks && (
                <span className="text-meta text-faint">
                  {card.checks.satisfied} of {card.checks.total} checks
                </span>
              )}
              <button className="button" onClick={() => open(card.id)}>
                Review
              </button>
            </span>
          </li>
        ))}
        {landings.map((landing) => (
          <li key={landing.id} className="row flex-wrap py-0.5">
            <Icon name="landing" className="text-coral" />
            <CardName card={{ id: landing.task, title: landing.title }} onOpen={open} className="text-tide" />
            <span className="text-soft shrink-0">wants to land on {landing.target}</span>
            <Link to="/landing" className="button ml-auto">
              Look
            </Link>
          </li>
        ))}
        {stale.map((card) => (
          <Stale key={card.id} card={card} />
        ))}
        {overdue.map((card) => (
          <li key={card.id} className="row flex-wrap py-0.5">
            <Icon name="wait" className="text-amber" />
            <CardName card={card} onOpen={open} className="text-tide" />
            <span className="text-amber shrink-0">was due on {card.due}</span>
          </li>
        ))}
        {quarantined.map(({ name, count: tools, flagged }) => (
          <li key={name} className="row flex-wrap py-0.5">
            <Icon name="sources" className="text-coral" />
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
            <Link to="/sources/$name" params={{ name }} className="button ml-auto">
              Look
            </Link>
          </li>
        ))}
        {dead > 0 && (
          <li className="row">
            <Icon name="letter" className="text-coral" />
            <span>
              {dead} {dead === 1 ? 'letter was' : 'letters were'} never fetched
            </span>
            <Link to="/mail" search={{ view: 'expired' }} className="button ml-auto">
              Read
            </Link>
          </li>
        )}
      </ul>
    </Block>
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
    .filter(({ teamId }) => project === undefined || teamId === null || teamId === project)
    .sort((a, b) => a.due!.localeCompare(b.due!));
}

/** Held by somebody who is not there any more, or was never seen to take it up. */
function Stale({ card }: Readonly<{ card: Card }>): ReactNode {
  const [, open] = useOpenTask();
  const release = useRelease();
  return (
    <li className="py-0.5">
      <div className="row flex-wrap">
        <Icon name="wait" className="text-coral" />
        <CardName card={card} onOpen={open} className="text-tide" />
        <span className="text-soft shrink-0">
          {card.awaited ? 'was given to ' : 'is still held by '}
          <Agent name={card.assigneeAgentId!} />
          {card.awaited ? ', who has not taken it up' : ', whose lease ran out '}
          {!card.awaited && <Moment at={card.leaseUntil!} />}
        </span>
        <button className="button ml-auto" onClick={() => release.mutate(card.id)}>
          Take it back
        </button>
      </div>
      <Refused error={release.error} />
    </li>
  );
}
