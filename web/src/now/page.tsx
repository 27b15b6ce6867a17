import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { useAgents, useSeats, type AgentView } from '../agents/queries.ts';
import { useCards, useMoves, type Card } from '../board/cards.ts';
import { useTask } from '../board/queries.ts';
import { useOpenTask, useProject } from '../frame/place.ts';
import { useWaiting, type Waiting } from '../frame/waiting.ts';
import { useLive } from '../live/live.ts';
import type { HubEvent } from '../live/stream.ts';
import { Agent } from '../parts/agent.tsx';
import { useNow } from '../parts/clock.ts';
import { Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Clock, Drain, Moment, exact } from '../parts/time.tsx';
import { StatusMark } from '../parts/status.tsx';
import { Asked } from './asked.tsx';
import { Welcome } from './welcome.tsx';
import { isTold, Sentence } from './sentence.tsx';

/** Does anyone wait for me? What are they doing? What happened meanwhile? In this order. */
export function NowPage(): ReactNode {
  const project = useProject();
  const { data: cards } = useCards();
  const { data: seats } = useSeats();
  const agents = useAgents(project);
  const waiting = useWaiting(project);
  const { events, hasPast } = useLive();
  if (!cards || !seats) return <Skeleton rows={8} />;
  const isNew =
    cards.size === 0 &&
    seats.seats.length === 0 &&
    (!hasPast || !events.some(({ kind }) => kind === 'client.joined'));
  if (isNew) return <Welcome />;
  return (
    <div className="mx-auto w-full max-w-5xl px-4 py-4">
      <h1 className="sr-only">Now</h1>
      <ForYou waiting={waiting} />
      <Block title="Agents">
        {agents.length === 0 ? (
          <p className="text-soft py-1">
            No agent is connected{project === undefined ? '' : ` to ${project}`}.{' '}
            <Link to="/settings" className="text-tide underline underline-offset-2">
              Attach one
            </Link>
            , or run <code className="font-mono text-[12px]">holdfast connect claude-code</code>.
          </p>
        ) : (
          <ul>
            {agents.map((agent) => (
              <AgentRow
                key={`${agent.teamId} ${agent.name}`}
                agent={agent}
                showsTeam={project === undefined}
              />
            ))}
          </ul>
        )}
      </Block>
      <Finished cards={[...cards.values()]} project={project} />
      <Meanwhile project={project} />
    </div>
  );
}

function Block({
  title,
  aside,
  children,
}: Readonly<{ title: ReactNode; aside?: ReactNode; children: ReactNode }>): ReactNode {
  return (
    <section className="mb-6">
      <div className="border-line mb-1 flex items-baseline gap-2 border-b pb-1">
        <h2 className="section-title">{title}</h2>
        {aside && <span className="text-meta text-faint ml-auto">{aside}</span>}
      </div>
      {children}
    </section>
  );
}

function ForYou({
  waiting: { approvals, reviews, quarantined, dead, count },
}: Readonly<{ waiting: Waiting }>): ReactNode {
  const [, open] = useOpenTask();
  if (count === 0) return null;
  return (
    <Block title={<span className="text-coral">Waits for you</span>}>
      <ul>
        {approvals.map((approval) => (
          <Asked key={approval.id} approval={approval} />
        ))}
        {reviews.map((card) => (
          <li key={card.id} className="row flex-wrap py-0.5">
            <Icon name="eye" className="text-coral" />
            <span className="shrink-0">
              <Agent name={card.assigneeAgentId ?? 'Somebody'} /> handed in
            </span>
            <button
              className="text-tide min-w-0 truncate text-left underline-offset-2 hover:underline"
              onClick={() => open(card.id)}
            >
              <Foreign text={card.title} />
            </button>
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
        {quarantined.map(({ name, count: tools }) => (
          <li key={name} className="row">
            <Icon name="sources" className="text-coral" />
            <span>
              <strong className="font-medium">{name}</strong> has {tools} {tools === 1 ? 'tool' : 'tools'}{' '}
              that nobody has looked at
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

function AgentRow({ agent, showsTeam }: Readonly<{ agent: AgentView; showsTeam: boolean }>): ReactNode {
  const { data: rules } = useMoves();
  const [, open] = useOpenTask();
  const now = useNow();
  const { held, life } = agent;
  const current = held.find(({ status }) => status === 'in_progress') ?? held[0];
  const others = held.length - 1;
  return (
    <li className="border-line grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 border-b py-1.5 last:border-0 sm:grid-cols-[minmax(9rem,12rem)_minmax(0,1fr)_auto]">
      <div className="flex min-w-0 items-baseline gap-2">
        <Link to="/agents" search={{ at: agent.name }} className="min-w-0 hover:underline">
          <Agent name={agent.name} life={life} />
        </Link>
        {showsTeam && agent.teamId !== null && (
          <span className="text-meta text-faint hidden truncate sm:inline">{agent.teamId}</span>
        )}
      </div>
      {current ? (
        <div className="col-span-2 row-start-2 min-w-0 sm:col-span-1 sm:row-start-auto">
          <div className="flex min-w-0 items-center gap-2">
            <StatusMark status={current.status} />
            <button
              className="min-w-0 truncate text-left underline-offset-2 hover:underline"
              onClick={() => open(current.id)}
            >
              <Foreign text={current.title} />
            </button>
            {others > 0 && <span className="text-meta text-faint shrink-0">and {others} more</span>}
          </div>
          <LastWord card={current} name={agent.name} />
        </div>
      ) : (
        <span className="text-faint hidden sm:inline">nothing</span>
      )}
      <div className="flex items-center justify-self-end text-right">
        {current && current.leaseUntil !== null && current.status === 'in_progress' ? (
          current.leaseUntil > now ? (
            <Drain until={current.leaseUntil} whole={rules?.leaseMs ?? 0} word="lease" wide />
          ) : (
            <span className="text-amber text-meta">
              lapsed <Moment at={current.leaseUntil} className="text-amber" />
            </span>
          )
        ) : (
          <span className="text-meta text-faint">
            {life === 'gone' ? 'not connected, ' : life === 'idle' ? 'idle, last call ' : 'last call '}
            <Moment at={agent.lastAt} />
          </span>
        )}
      </div>
    </li>
  );
}

/** What it said last about what it holds. */
function LastWord({ card, name }: Readonly<{ card: Card; name: string }>): ReactNode {
  const { data } = useTask(card.id);
  const said = data?.comments.findLast(
    ({ authorType, authorAgentId }) => authorType === 'agent' && authorAgentId === name,
  );
  if (!said) return null;
  const line = said.body.split('\n').find((each) => each.trim() !== '') ?? '';
  return (
    <p className="text-meta text-soft border-edge mt-0.5 truncate border-l-2 pl-2">
      <Foreign text={line.slice(0, 200)} />
    </p>
  );
}

function Finished({
  cards,
  project,
}: Readonly<{ cards: readonly Card[]; project: string | undefined }>): ReactNode {
  const [, open] = useOpenTask();
  const today = new Date().setHours(0, 0, 0, 0);
  const done = cards
    .filter(
      (card) =>
        card.status === 'done' &&
        (card.completedAt ?? 0) >= today &&
        (project === undefined || card.teamId === project),
    )
    .sort((a, b) => b.completedAt! - a.completedAt!);
  if (done.length === 0) return null;
  return (
    <Block
      title="Finished today"
      aside={
        done.length > 5 ? (
          <Link to="/board" search={{ q: 'status:done' }} className="hover:underline">
            all {done.length}
          </Link>
        ) : undefined
      }
    >
      <ul>
        {done.slice(0, 5).map((card) => (
          <li key={card.id} className="row min-h-7">
            <StatusMark status="done" />
            <button
              className="min-w-0 truncate text-left underline-offset-2 hover:underline"
              onClick={() => open(card.id)}
            >
              <Foreign text={card.title} />
            </button>
            <span className="text-meta text-faint ml-auto shrink-0">
              {card.assigneeAgentId} <Moment at={card.completedAt!} />
            </span>
          </li>
        ))}
      </ul>
    </Block>
  );
}

const LOOKED = 'looked';
const SHOWN = 80;

/** In sentences, newest first, with a mark where one last looked. */
function Meanwhile({ project }: Readonly<{ project: string | undefined }>): ReactNode {
  const { events } = useLive();
  const [looked] = useState(
    () => JSON.parse(localStorage.getItem(LOOKED) ?? 'null') as { seq: number; at: number } | null,
  );
  const told = useMemo(() => {
    const here = events.filter(
      (event) =>
        isTold(event) && (project === undefined || event.team === undefined || event.team === project),
    );
    return folded(here.toReversed());
  }, [events, project]);
  useEffect(() => {
    const remember = () => {
      const last = events.at(-1);
      if (last) localStorage.setItem(LOOKED, JSON.stringify({ seq: last.seq, at: Date.now() }));
    };
    addEventListener('pagehide', remember);
    return () => (remember(), removeEventListener('pagehide', remember));
  }, [events]);
  if (told.length === 0) return null;
  const isMarked =
    looked !== null && told.some(({ seq }) => seq > looked.seq) && told.some(({ seq }) => seq <= looked.seq);
  return (
    <Block title={isMarked ? `Since you looked, ${exact(looked.at)}` : 'What happened'}>
      <ol aria-label="What happened, newest first">
        {told.slice(0, SHOWN).map((event, at) => (
          <li key={event.seq} className="arrives">
            {isMarked && event.seq <= looked.seq && (told[at - 1]?.seq ?? Infinity) > looked.seq && (
              <div className="text-meta text-faint my-1 flex items-center gap-2">
                <span className="bg-line h-px flex-1" /> seen before <span className="bg-line h-px flex-1" />
              </div>
            )}
            <div className="flex items-baseline gap-2 py-[3px]">
              <Clock at={event.at} />
              <span className="min-w-0 break-words">
                <Sentence event={event} />
                {event.times > 1 && <span className="text-meta text-faint"> {event.times} times</span>}
              </span>
            </div>
          </li>
        ))}
      </ol>
    </Block>
  );
}

/** The same thing again and again is told once: newest first, with how often. */
function folded(events: readonly HubEvent[]): readonly (HubEvent & { times: number })[] {
  const told: (HubEvent & { times: number })[] = [];
  for (const event of events) {
    const last = told.at(-1);
    const isSame =
      last &&
      last.kind === event.kind &&
      last.actor.id === event.actor.id &&
      (REPEATED.test(event.kind) || last.subject === event.subject);
    if (isSame) last.times += 1;
    else told.push({ ...event, times: 1 });
  }
  return told;
}

const REPEATED = /^(memory|procedure|peer|chat)\./;
