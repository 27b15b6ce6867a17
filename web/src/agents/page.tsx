import type { ReactNode } from 'react';
import { usePlace, useProject, useSetPlace } from '../frame/place.ts';
import { Agent } from '../parts/agent.tsx';
import { Empty } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Table, View } from '../parts/page.tsx';
import { StatusMark } from '../parts/status.tsx';
import { Moment } from '../parts/time.tsx';
import { AgentDrawer } from './drawer.tsx';
import { useAgents, type AgentView } from './queries.ts';

const COLUMNS = [
  ['Agent', 'minmax(10rem,1fr)'],
  ['Project', '9rem'],
  ['Holds', 'minmax(10rem,2fr)'],
  ['Connected by', 'minmax(8rem,1fr)'],
  ['Last call', '5.5rem'],
] as const;

export function AgentsPage(): ReactNode {
  const project = useProject();
  const agents = useAgents(project);
  const { at } = usePlace();
  const setPlace = useSetPlace();
  const open = agents.find(({ name }) => name === at);
  return (
    <View
      title="Agents"
      about="Everyone who is connected, and whoever holds a task without being here."
      detail={open && <AgentDrawer agent={open} onClose={() => setPlace({ at: undefined }, true)} />}
    >
      {agents.length === 0 ? (
        <Empty title="Nobody is here" command="holdfast connect claude-code">
          An agent appears here the moment it connects, under a name of its own and in the project of its
          folder.
        </Empty>
      ) : (
        <Table label="Agents" columns={COLUMNS}>
          {agents.map((agent) => (
            <Row key={`${agent.teamId} ${agent.name}`} agent={agent} isOpen={agent === open} />
          ))}
        </Table>
      )}
    </View>
  );
}

function Row({ agent, isOpen }: Readonly<{ agent: AgentView; isOpen: boolean }>): ReactNode {
  const setPlace = useSetPlace();
  const clients = agent.seats.map(({ client, server }) => `${client || 'a client'} on ${server || 'REST'}`);
  return (
    <li>
      <button
        aria-current={isOpen}
        className={`cells hover:bg-sunken ${isOpen ? 'bg-sunken' : ''}`}
        onClick={() => setPlace({ at: agent.name }, true)}
      >
        <Agent name={agent.name} life={agent.life} client={agent.seats[0]?.client} />
        <span className="text-soft truncate">{agent.teamId ?? 'no project'}</span>
        <span className="flex items-center gap-2">
          <Held held={agent.held} />
        </span>
        <span className="text-meta text-faint truncate">{clients.join(', ') || 'not connected'}</span>
        <Moment at={agent.lastAt} />
      </button>
    </li>
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
