import type { ReactNode } from 'react';
import { usePlace, useProject, useSetPlace } from '../frame/place.ts';
import { Agent } from '../parts/agent.tsx';
import { Empty } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { PageHead } from '../parts/page.tsx';
import { StatusMark } from '../parts/status.tsx';
import { Moment } from '../parts/time.tsx';
import { AgentDrawer } from './drawer.tsx';
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
        <PageHead title="Agents">
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
                  className={`hover:bg-sunken grid w-full grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 px-4 py-1.5 text-left sm:grid-cols-[minmax(0,14rem)_minmax(0,1fr)_auto] ${agent === open ? 'bg-sunken' : ''}`}
                  onClick={() => setPlace({ at: agent.name }, true)}
                >
                  <span className="flex min-w-0 items-baseline gap-2">
                    <Agent name={agent.name} life={agent.life} />
                    <span className="text-meta text-faint truncate">{agent.teamId}</span>
                  </span>
                  <Moment at={agent.lastAt} className="sm:order-last" />
                  <span className="col-span-2 flex min-w-0 items-center gap-2 sm:col-span-1">
                    <Held held={agent.held} />
                    <span className="text-meta text-faint ml-auto hidden shrink-0 sm:inline">
                      {agent.seats
                        .map(({ client, server }) => `${client || 'a client'} on ${server || 'REST'}`)
                        .join(', ') || 'not connected'}
                    </span>
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

function Held({ held: [first, ...others] }: Pick<AgentView, 'held'>): ReactNode {
  if (!first) return <span className="text-faint">holds nothing</span>;
  return (
    <>
      <StatusMark status={first.status} />
      <span className="truncate">
        <Foreign text={first.title} />
      </span>
      {others.length > 0 && <span className="text-meta text-faint shrink-0">and {others.length} more</span>}
    </>
  );
}
