import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOpenTask, usePlace, useProject, useSetPlace } from '../frame/place.ts';
import { useLive } from '../live/live.ts';
import { isTold, Sentence } from '../now/sentence.tsx';
import { Agent } from '../parts/agent.tsx';
import { Drawer, Section } from '../parts/drawer.tsx';
import { Empty } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { PageHead } from '../parts/page.tsx';
import { StatusMark } from '../parts/status.tsx';
import { Moment } from '../parts/time.tsx';
import { useAgents, type AgentView } from './queries.ts';

export function AgentsPage(): ReactNode {
  const project = useProject();
  const agents = useAgents(project);
  const { at } = usePlace();
  const setPlace = useSetPlace();
  const open = agents.find(({ name }) => name === at);
  return (
    <div className="flex min-h-0 flex-1">
      <div className="min-w-0 flex-1 overflow-y-auto">
        <PageHead
          title="Agents"
          aside={
            <Link to="/projects" className="button">
              Projects
            </Link>
          }
        >
          Everyone who is connected, and whoever holds a task without being here.
        </PageHead>
        {agents.length === 0 ? (
          <Empty title="Nobody is here" command="holdfast connect claude-code">
            An agent appears here the moment it connects, under a name of its own and in the project of its
            folder.
          </Empty>
        ) : (
          <ul className="border-line border-t">
            {agents.map((agent) => (
              <li key={`${agent.teamId} ${agent.name}`} className="border-line border-b">
                <button
                  className={`hover:bg-sunken grid w-full grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-1.5 text-left sm:grid-cols-[minmax(0,14rem)_minmax(0,1fr)_auto] ${agent === open ? 'bg-sunken' : ''}`}
                  onClick={() => setPlace({ at: agent.name }, true)}
                >
                  <span className="flex min-w-0 items-baseline gap-2">
                    <Agent name={agent.name} life={agent.life} />
                    <span className="text-meta text-faint truncate">{agent.teamId}</span>
                  </span>
                  <span className="hidden min-w-0 items-center gap-2 sm:flex">
                    {agent.held[0] && (
                      <span className="flex min-w-0 items-center gap-2">
                        <StatusMark status={agent.held[0].status} />
                        <span className="truncate">
                          <Foreign text={agent.held[0].title} />
                        </span>
                        {agent.held.length > 1 && (
                          <span className="text-meta text-faint shrink-0">
                            and {agent.held.length - 1} more
                          </span>
                        )}
                      </span>
                    )}
                    <span className="text-meta text-faint shrink-0">
                      {agent.seats
                        .map(({ client, server }) => `${client || 'a client'} on ${server || 'REST'}`)
                        .join(', ') || 'not connected'}
                    </span>
                  </span>
                  <span className="text-meta text-faint">
                    <Moment at={agent.lastAt} />
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
      {open && <AgentDrawer agent={open} onClose={() => setPlace({ at: undefined }, true)} />}
    </div>
  );
}

function AgentDrawer({ agent, onClose }: Readonly<{ agent: AgentView; onClose(): void }>): ReactNode {
  const [, openTask] = useOpenTask();
  const { events } = useLive();
  const did = events
    .filter(
      (event) => isTold(event) && (event.actor.id === agent.name || event.data?.['agentId'] === agent.name),
    )
    .toReversed()
    .slice(0, 40);
  return (
    <Drawer
      label={`Agent ${agent.name}`}
      onClose={onClose}
      head={
        <h2 className="text-title font-semibold">
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
              <button
                className="min-w-0 truncate text-left underline-offset-2 hover:underline"
                onClick={() => openTask(card.id)}
              >
                <Foreign text={card.title} />
              </button>
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
      <Section title="Did lately">
        {did.length === 0 && <p className="text-soft">Nothing that is still in sight.</p>}
        <ol>
          {did.map((event) => (
            <li key={event.seq} className="flex gap-2 py-0.5">
              <span className="w-24 shrink-0">
                <Moment at={event.at} />
              </span>
              <span className="min-w-0">
                <Sentence event={event} />
              </span>
            </li>
          ))}
        </ol>
      </Section>
    </Drawer>
  );
}
