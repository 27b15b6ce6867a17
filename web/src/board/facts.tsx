import { useState, type ReactNode } from 'react';
import type { TaskDetail } from '../../../src/features/board/detail.ts';
import type { Task } from '../../../src/features/board/task.ts';
import { useLifeOf } from '../agents/queries.ts';
import { Agent } from '../parts/agent.tsx';
import { CopyId } from '../parts/copy-id.tsx';
import { Refused } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { PRIORITIES, PriorityBars, priorityWord } from '../parts/priority.tsx';
import { Project } from '../parts/project.tsx';
import { Drain, Moment } from '../parts/time.tsx';
import { useCards, useMoves } from './cards.ts';
import { Labels } from './labels.tsx';
import { useAssign, useEdit, usePull } from './queries.ts';
import { WhoTakesIt } from './who.tsx';

const BARE =
  'hover:border-edge focus:border-edge -ml-1.5 min-h-6 max-w-full rounded-one border border-transparent bg-transparent px-1.5';

/** Who has it and for how long, where it belongs, what it cost: each is changed where it stands. */
export function Facts({ detail: { task } }: Readonly<{ detail: TaskDetail }>): ReactNode {
  const { data: rules } = useMoves();
  const { data: cards } = useCards();
  const edit = useEdit(task.id);
  const isHeld = task.assigneeAgentId !== null && task.completedAt === null;
  const cost = cards?.get(task.id)?.costUsd ?? task.costUsd;
  return (
    <>
      <dl className="mt-3 grid grid-cols-[6rem_minmax(0,1fr)] items-center gap-x-3 gap-y-1">
        <Holder task={task} />
        {isHeld && task.leaseUntil !== null && (
          <Fact name="Lease">
            <Drain until={task.leaseUntil} whole={rules?.leaseMs ?? 0} word="lease" wide />
          </Fact>
        )}
        <Priority task={task} onChange={(priority) => edit.mutate({ priority })} />
        <Fact name="Due">
          <input
            type="date"
            aria-label="Due"
            className={`${BARE} ${task.due === null ? 'text-faint' : ''}`}
            value={task.due ?? ''}
            onChange={({ target }) => edit.mutate({ due: target.value === '' ? null : target.value })}
          />
        </Fact>
        <Fact name="Labels">
          <Labels id={task.id} />
        </Fact>
        {task.teamId !== null && (
          <Fact name="Project">
            <Project id={task.teamId} />
          </Fact>
        )}
        <Branch task={task} onChange={(branchRef) => edit.mutate({ branchRef })} />
        <PullRequest taskId={task.id} hasBranch={task.branchRef !== null} />
        {cost > 0 && <Fact name="Cost">${cost.toFixed(2)}</Fact>}
        {task.verification && (
          <Fact name="Verification">
            {task.verification.status === 'pass'
              ? 'checks passed'
              : `accepted against its checks: ${task.verification.reason ?? ''}`}
          </Fact>
        )}
        <Fact name="Created">
          <Moment at={task.createdAt} className="text-soft" /> <CopyId id={task.id} />
        </Fact>
      </dl>
      <Refused error={edit.error} />
    </>
  );
}

function Holder({ task }: Readonly<{ task: Task }>): ReactNode {
  const lifeOf = useLifeOf();
  const { data: cards } = useCards();
  const assign = useAssign();
  const [isAsking, setAsking] = useState(false);
  const card = cards?.get(task.id);
  const isOpen = task.completedAt === null;
  return (
    <>
      <Fact name="Holder">
        <button
          className={`${BARE} flex items-center gap-1.5`}
          disabled={!isOpen}
          aria-expanded={isAsking}
          onClick={() => setAsking(!isAsking)}
          title={isOpen ? 'Assign' : undefined}
        >
          {task.assigneeAgentId === null ? (
            <span className="text-faint">Nobody</span>
          ) : (
            <Agent name={task.assigneeAgentId} life={isOpen ? lifeOf(task.assigneeAgentId) : undefined} />
          )}
        </button>
      </Fact>
      {isAsking && card && (
        <div className="col-span-2 -mx-3">
          <WhoTakesIt
            card={card}
            onClose={() => setAsking(false)}
            onChoose={(agent) => (setAsking(false), assign.mutate({ id: task.id, agent }))}
          />
        </div>
      )}
      {assign.error && (
        <div className="col-span-2">
          <Refused error={assign.error} onClose={() => assign.reset()} />
        </div>
      )}
    </>
  );
}

function Priority({
  task: { priority },
  onChange,
}: Readonly<{ task: Task; onChange(priority: number): void }>): ReactNode {
  const isOwn = !PRIORITIES.some(([value]) => value === priority);
  return (
    <Fact name="Priority">
      <span className="flex items-center gap-1.5">
        <PriorityBars priority={priority} />
        <select
          aria-label="Priority"
          className={`${BARE} ml-0!`}
          value={priority}
          onChange={({ target }) => onChange(Number(target.value))}
        >
          {isOwn && <option value={priority}>{`${priorityWord(priority)} (${priority})`}</option>}
          {PRIORITIES.map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
      </span>
    </Fact>
  );
}

function Branch({
  task: { branchRef },
  onChange,
}: Readonly<{ task: Task; onChange(branch: string | null): void }>): ReactNode {
  const [text, setText] = useState<string | undefined>();
  if (text === undefined)
    return (
      <Fact name="Branch">
        <button
          className={`${BARE} flex max-w-full items-center gap-1 text-left`}
          onClick={() => setText(branchRef ?? '')}
        >
          {branchRef === null ? (
            <span className="text-faint">None</span>
          ) : (
            <>
              <Icon name="branch" size={13} />
              <code className="truncate font-mono text-[12px]">
                <Foreign text={branchRef} />
              </code>
            </>
          )}
        </button>
      </Fact>
    );
  const save = () => (setText(undefined), text !== (branchRef ?? '') && onChange(text === '' ? null : text));
  return (
    <Fact name="Branch">
      <input
        autoFocus
        aria-label="Branch"
        className={`${BARE} w-full font-mono text-[12px]`}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onBlur={save}
        onKeyDown={(event) => {
          if (event.key === 'Enter') save();
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          setText(undefined);
        }}
      />
    </Fact>
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
    <>
      <dt className="text-meta text-faint">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}
