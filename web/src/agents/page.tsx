import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useHub } from '../frame/hub.ts';
import { afresh, usePlace, useProject, useSetPlace } from '../frame/place.ts';
import { Agent } from '../parts/agent.tsx';
import { Empty } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Switch, Table, View } from '../parts/page.tsx';
import { StatusMark } from '../parts/status.tsx';
import { Moment } from '../parts/time.tsx';
import { AgentDrawer } from './drawer.tsx';
import { Programs } from './programs.tsx';
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
  const { at, view } = usePlace();
  const { data: hub } = useHub();
  const [isAdding, setAdding] = useState(false);
  const isPrograms = view === 'programs';
  const setPlace = useSetPlace();
  // Whom a link names is shown, whatever project is looked at.
  const everybody = useAgents(undefined);
  const open = everybody.find(({ name }) => name === at);
  return (
    <View
      title="Agents"
      about={
        isPrograms
          ? 'The programs that runs start. A change is shown as a diff of config.yaml first, and counts at once.'
          : 'Everyone who is connected, and whoever holds a task without being here.'
      }
      aside={
        hub?.isSignedIn === true &&
        !isAdding && (
          <button
            className="button button-main"
            onClick={() => (setAdding(true), setPlace({ view: 'programs', at: undefined }))}
          >
            <Icon name="plus" size={12} />
            New agent
          </button>
        )
      }
      filter={
        <Switch
          label="Which agents"
          value={isPrograms ? 'programs' : 'here'}
          options={[
            ['here', 'Here now'],
            ['programs', 'Can be started'],
          ]}
          onChange={(to) => setPlace({ view: to === 'here' ? undefined : to, at: undefined })}
        />
      }
      detail={
        !isPrograms && open && <AgentDrawer agent={open} onClose={() => setPlace({ at: undefined }, true)} />
      }
    >
      {isPrograms ? (
        <Programs isAdding={isAdding} onClose={() => setAdding(false)} />
      ) : agents.length === 0 ? (
        <Empty
          title="Nobody is here"
          command="holdfast connect claude-code"
          action={
            <Link to="/settings" search={afresh} className="button button-main">
              Attach a client
            </Link>
          }
        >
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
        className={`cells hover:bg-sunken ${isOpen ? 'bg-chosen' : ''}`}
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
