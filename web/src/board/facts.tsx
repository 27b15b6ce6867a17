import type { ReactNode } from 'react';
import type { TaskDetail } from '../../../src/features/board/detail.ts';
import { useLifeOf } from '../agents/queries.ts';
import { Agent } from '../parts/agent.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Drain, Moment } from '../parts/time.tsx';
import { useMoves } from './cards.ts';
import { usePull } from './queries.ts';

/** Who has it and for how long, where it belongs, what it cost: one line of small things. */
export function Facts({ detail: { task } }: Readonly<{ detail: TaskDetail }>): ReactNode {
  const { data: rules } = useMoves();
  const lifeOf = useLifeOf();
  const isHeld = task.assigneeAgentId !== null && task.completedAt === null;
  return (
    <dl className="text-soft mt-2 flex flex-wrap items-center gap-x-4 gap-y-1">
      {task.assigneeAgentId !== null && (
        <Fact name="Holder">
          <Agent name={task.assigneeAgentId} life={isHeld ? lifeOf(task.assigneeAgentId) : undefined} />
        </Fact>
      )}
      {isHeld && task.leaseUntil !== null && (
        <Fact name="Lease">
          <Drain until={task.leaseUntil} whole={rules?.leaseMs ?? 0} word="lease" wide />
        </Fact>
      )}
      {task.teamId !== null && <Fact name="Project">{task.teamId}</Fact>}
      {task.priority !== 0 && <Fact name="Priority">priority {task.priority}</Fact>}
      {task.branchRef !== null && (
        <Fact name="Branch">
          <Icon name="branch" size={13} className="mr-0.5 inline" />
          <code className="font-mono text-[12px]">
            <Foreign text={task.branchRef} />
          </code>
        </Fact>
      )}
      <PullRequest taskId={task.id} hasBranch={task.branchRef !== null} />
      {task.costUsd > 0 && <Fact name="Cost">${task.costUsd.toFixed(2)}</Fact>}
      {task.verification && (
        <Fact name="Verification">
          {task.verification.status === 'pass'
            ? 'checks passed'
            : `accepted against its checks: ${task.verification.reason ?? ''}`}
        </Fact>
      )}
      <Fact name="Made">
        made <Moment at={task.createdAt} className="text-soft" />
      </Fact>
      <Fact name="Id">
        <code className="text-faint font-mono text-[11px]" title={task.id}>
          {task.id.slice(-8)}
        </code>
      </Fact>
    </dl>
  );
}

/** Where it is reviewed; its words are read there. */
function PullRequest({ taskId, hasBranch }: Readonly<{ taskId: string; hasBranch: boolean }>): ReactNode {
  const pull = usePull(taskId, hasBranch).data?.pulls[0];
  if (!pull) return null;
  return (
    <Fact name="Pull request">
      <a href={pull.url} target="_blank" rel="noreferrer noopener" className="underline">
        pull request #{pull.number}, {pull.state}
      </a>
    </Fact>
  );
}

function Fact({ name, children }: Readonly<{ name: string; children: ReactNode }>): ReactNode {
  return (
    <div className="flex min-w-0 items-center">
      <dt className="sr-only">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}
