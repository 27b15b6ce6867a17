import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOpenTask } from '../frame/place.ts';
import { useLive } from '../live/live.ts';
import type { HubEvent } from '../live/stream.ts';
import { folded } from '../now/folded.ts';
import { Sentence } from '../now/sentence.tsx';
import { isTold } from '../now/told.ts';
import { Agent } from '../parts/agent.tsx';
import { Drawer, Section } from '../parts/drawer.tsx';
import { StatusMark } from '../parts/status.tsx';
import { Moment } from '../parts/time.tsx';
import { useTokens, type AgentView } from './queries.ts';
import { CardName } from '../board/card.tsx';

const SHOWN = 40;

/** One agent: what it holds, how it is connected, what may speak for it, and what it did. */
export function AgentDrawer({ agent, onClose }: Readonly<{ agent: AgentView; onClose(): void }>): ReactNode {
  const [, openTask] = useOpenTask();
  const { events } = useLive();
  const did = folded(events.filter((event) => isTold(event) && isOf(event, agent.name)).toReversed());
  return (
    <Drawer
      label={`Agent ${agent.name}`}
      onClose={onClose}
      head={
        <h2 className="text-title min-w-0 font-semibold">
          <Agent name={agent.name} life={agent.life} />
        </h2>
      }
    >
      <Section title="Holds">
        {agent.held.length === 0 && <p className="text-soft">Nothing.</p>}
        <ul>
          {agent.held.map((card) => (
            <li key={card.id} className="row">
              <StatusMark status={card.status} />
              <CardName card={card} onOpen={openTask} />
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Connections">
        {agent.seats.length === 0 && (
          <p className="text-soft">None. What it holds lapses when its lease runs out.</p>
        )}
        <ul>
          {agent.seats.map((seat) => (
            <li key={`${seat.openedAt} ${seat.server}`} className="row flex-wrap">
              {seat.client || 'a client'} on {seat.server || 'REST'}
              <span className="text-meta text-faint">
                {seat.known === 'bound' ? 'named by its credential' : 'was given this name'}
                {seat.pid !== null && `, process ${seat.pid}`}, here since <Moment at={seat.openedAt} />, last
                call <Moment at={seat.calledAt} />
              </span>
            </li>
          ))}
        </ul>
      </Section>
      <Tokens name={agent.name} />
      <Section title="Did lately">
        {did.length === 0 && <p className="text-soft">Nothing that is still in sight.</p>}
        <ol>
          {did.slice(0, SHOWN).map((event) => (
            <li key={event.seq} className="flex gap-2 py-0.5">
              <span className="w-24 shrink-0">
                <Moment at={event.at} />
              </span>
              <span className="min-w-0 [overflow-wrap:anywhere]">
                <Sentence
                  event={event}
                  others={event.others}
                  isBy={!/^(operator|local)$/.test(event.actor.id)}
                />
                {event.times > 1 && <span className="text-meta text-faint"> {event.times} times</span>}
              </span>
            </li>
          ))}
        </ol>
      </Section>
    </Drawer>
  );
}

function isOf({ actor, data }: HubEvent, name: string): boolean {
  return actor.id === name || data?.['agentId'] === name;
}

/** The tokens that speak for this name. They are made and revoked in the settings. */
function Tokens({ name }: Readonly<{ name: string }>): ReactNode {
  const { data } = useTokens();
  const own = data?.tokens.filter(({ agent }) => agent === name) ?? [];
  if (own.length === 0) return null;
  return (
    <Section
      title="Tokens"
      aside={
        <Link to="/settings" search={{ view: 'tokens' }} className="quiet text-meta">
          All tokens
        </Link>
      }
    >
      <ul>
        {own.map(({ id, team, label, state, usedAt }) => (
          <li key={id} className="row min-h-7">
            <span className={state === 'active' ? '' : 'text-faint'}>{state}</span>
            <span className="text-soft truncate">
              {[team, label].filter((part) => part !== null && part !== '').join(', ')}
            </span>
            <span className="text-meta text-faint ml-auto shrink-0">
              {usedAt === null ? (
                'never used'
              ) : (
                <>
                  used <Moment at={usedAt} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
