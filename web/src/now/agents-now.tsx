import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AgentView } from '../agents/queries.ts';
import { useMoves, type Card } from '../board/cards.ts';
import { useTask } from '../board/queries.ts';
import { useOpenTask } from '../frame/place.ts';
import { Agent } from '../parts/agent.tsx';
import { useNow } from '../parts/clock.ts';
import { Foreign } from '../parts/foreign.tsx';
import { StatusMark } from '../parts/status.tsx';
import { Drain, Moment } from '../parts/time.tsx';
import { Block } from './block.tsx';
import { CardName } from '../board/card.tsx';

/** Who is here, what each holds and for how long, and what it said last. */
export function AgentsNow({
  agents,
  project,
}: Readonly<{ agents: readonly AgentView[]; project: string | undefined }>): ReactNode {
  return (
    <Block title="Agents">
      {agents.length === 0 ? (
        <p className="text-soft py-1">
          No agent is connected{project === undefined ? '' : ` to ${project}`}.{' '}
          <Link to="/settings" className="in-words">
            Attach one
          </Link>
          , or run <code className="font-mono text-[12px]">holdfast connect claude-code</code>.
        </p>
      ) : (
        <ul>
          {agents.map((agent) => (
            <AgentRow key={`${agent.teamId} ${agent.name}`} agent={agent} showsTeam={project === undefined} />
          ))}
        </ul>
      )}
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
    <li className="border-line grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 border-b py-1.5 last:border-0 sm:grid-cols-[minmax(9rem,15rem)_minmax(0,1fr)_auto]">
      <div className="flex min-w-0 items-baseline gap-2">
        <Link to="/agents" search={{ at: agent.name }} className="flex min-w-0 hover:underline">
          <Agent name={agent.name} life={life} />
        </Link>
        {showsTeam && agent.teamId !== null && (
          <span className="text-meta text-faint hidden shrink-[3] truncate sm:inline">{agent.teamId}</span>
        )}
      </div>
      {current ? (
        <div className="col-span-2 row-start-2 min-w-0 sm:col-span-1 sm:row-start-auto">
          <div className="flex min-w-0 items-center gap-2">
            <StatusMark status={current.status} />
            <CardName card={current} onOpen={open} />
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
