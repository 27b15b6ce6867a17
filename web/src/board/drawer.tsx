import { DropdownMenu } from 'radix-ui';
import { useState, type ReactNode } from 'react';
import type { Relative, Status, TaskDetail } from '../../../src/features/board/task.ts';
import { useLifeOf } from '../agents/queries.ts';
import { isMissing, Refusal } from '../api/call.ts';
import { useKeys } from '../frame/keys.ts';
import { Agent } from '../parts/agent.tsx';
import { Drawer, Section } from '../parts/drawer.tsx';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign, Quoted } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { MENU, MENU_ITEM } from '../parts/menu.ts';
import { STATUS_WORDS, STATUSES, StatusMark } from '../parts/status.tsx';
import { Drain, Moment } from '../parts/time.tsx';
import { TaskRuns } from '../runs/start.tsx';
import { useCards, useMoves } from './cards.ts';
import { EditTask } from './edit-task.tsx';
import { Conversation, History } from './conversation.tsx';
import {
  useAssign,
  useDrop,
  useEvidence,
  useLink,
  useMove,
  useRelease,
  useReservations,
  useTask,
} from './queries.ts';
import { WhoTakesIt } from './who.tsx';

type DrawerProps = Readonly<{ id: string; onClose(): void; onOpen(id: string): void }>;

export function TaskDrawer({ id, onClose, onOpen }: DrawerProps): ReactNode {
  const { data, error } = useTask(id);
  const { data: cards } = useCards();
  // The card is the newer one: it shows a change before the hub has answered.
  const status = cards?.get(id)?.status ?? data?.task.status;
  return (
    <Drawer
      label={`Task: ${data?.task.title ?? cards?.get(id)?.title ?? ''}`}
      onClose={onClose}
      head={status && <StatusMenu id={id} status={status} detail={data} />}
    >
      {error ? (
        isMissing(error) ? (
          <Empty title="This task is not on the board">
            It was taken off, or it never was here. Its history stays in the event log.
          </Empty>
        ) : (
          <Refused error={error} />
        )
      ) : data ? (
        <Body detail={data} onOpen={onOpen} />
      ) : (
        <Skeleton />
      )}
    </Drawer>
  );
}

function StatusMenu({
  id,
  status,
  detail,
}: Readonly<{ id: string; status: Status; detail: TaskDetail | undefined }>): ReactNode {
  const { data: rules } = useMoves();
  const { data: cards } = useCards();
  const move = useMove();
  const assign = useAssign();
  const release = useRelease();
  const drop = useDrop();
  const [isAsking, setAsking] = useState(false);
  const [reason, setReason] = useState<string | undefined>();
  const [error, setError] = useState<unknown>();
  const card = cards?.get(id);
  const holder = card ? card.assigneeAgentId : (detail?.task.assigneeAgentId ?? null);
  const legal = rules?.moves[status] ?? [];

  const go = (to: Status) => {
    setError(undefined);
    if (to === 'in_progress' && holder === null) return setAsking(true);
    move.mutate(
      { id, to },
      { onError: (refusal) => (setError(refusal), to === 'done' && isUnproven(refusal) && setReason('')) },
    );
  };
  const menuKeys = Object.fromEntries(
    STATUSES.map((to, at) => [
      String(at + 1),
      {
        does: `Move to ${STATUS_WORDS[to]}`,
        run: () =>
          legal.includes(to)
            ? go(to)
            : setError(
                new Error(
                  `From ${STATUS_WORDS[status].toLowerCase()} a task cannot go to ${STATUS_WORDS[to].toLowerCase()}.`,
                ),
              ),
      },
    ]),
  );
  useKeys('This task', menuKeys);

  return (
    <div className="flex min-w-0 flex-1 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-1.5">
        <DropdownMenu.Root modal={false}>
          <DropdownMenu.Trigger
            className="button"
            disabled={legal.length === 0}
            title={legal.length === 0 ? 'What is over stays over' : 'Move'}
          >
            <StatusMark status={status} />
            {STATUS_WORDS[status]}
            {legal.length > 0 && <Icon name="down" size={12} />}
          </DropdownMenu.Trigger>
          <DropdownMenu.Portal>
            <DropdownMenu.Content align="start" sideOffset={4} className={MENU}>
              {legal.map((to) => (
                <DropdownMenu.Item key={to} className={MENU_ITEM} onSelect={() => go(to)}>
                  <StatusMark status={to} />
                  {to === 'in_progress' && holder === null ? 'In progress, by…' : STATUS_WORDS[to]}
                  <kbd className="key ml-auto">{STATUSES.indexOf(to) + 1}</kbd>
                </DropdownMenu.Item>
              ))}
              {holder !== null && status === 'in_progress' && (
                <DropdownMenu.Item
                  className={MENU_ITEM}
                  onSelect={() => release.mutate(id, { onError: setError })}
                >
                  <Icon name="up" size={14} className="rotate-180" /> Take it back from {holder}
                </DropdownMenu.Item>
              )}
              <DropdownMenu.Separator className="bg-line my-1 h-px" />
              <DropdownMenu.Item
                className={MENU_ITEM}
                onSelect={() => drop.mutate(id, { onError: setError })}
              >
                <Icon name="close" size={14} /> Take it off the board
              </DropdownMenu.Item>
            </DropdownMenu.Content>
          </DropdownMenu.Portal>
        </DropdownMenu.Root>
        {status === 'in_review' && (
          <>
            <button className="button button-main" onClick={() => go('done')}>
              <Icon name="tick" size={14} /> Accept
            </button>
            <button className="button" onClick={() => go('in_progress')}>
              Send back
            </button>
          </>
        )}
      </div>
      {isAsking && card && (
        <WhoTakesIt
          card={card}
          onClose={() => setAsking(false)}
          onChoose={(agent) => (setAsking(false), assign.mutate({ id, agent }, { onError: setError }))}
        />
      )}
      <Refused error={error} onClose={() => setError(undefined)} />
      {reason !== undefined && (
        <form
          className="flex gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            move.mutate(
              { id, to: 'done', override: reason },
              { onError: setError, onSuccess: () => (setError(undefined), setReason(undefined)) },
            );
          }}
        >
          <input
            autoFocus
            className="field min-w-0 flex-1"
            aria-label="Why it is done all the same"
            placeholder="Why it is done all the same"
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
          <button className="button" disabled={reason.trim() === ''}>
            Accept against the checks
          </button>
        </form>
      )}
    </div>
  );
}

function isUnproven(error: unknown): boolean {
  return error instanceof Refusal && /check|evidence|verif/i.test(`${error.message} ${error.hint}`);
}

function Body({ detail, onOpen }: Readonly<{ detail: TaskDetail; onOpen(id: string): void }>): ReactNode {
  const { task } = detail;
  const [isEditing, setEditing] = useState(false);
  useKeys('This task', {
    e: { does: 'Edit', run: () => setEditing(true) },
    c: { does: 'Comment', run: () => document.getElementById('comment')?.focus() },
  });
  return (
    <>
      {detail.ancestors.length > 0 && (
        <p className="text-meta text-faint mb-1 flex flex-wrap items-center gap-1">
          {detail.ancestors.toReversed().map(({ id, title }) => (
            <button
              key={id}
              className="hover:text-ink truncate underline underline-offset-2"
              onClick={() => onOpen(id)}
            >
              <Foreign text={title} />
            </button>
          ))}
        </p>
      )}
      {isEditing ? (
        <EditTask task={task} onClose={() => setEditing(false)} />
      ) : (
        <>
          <div className="flex items-start gap-2">
            <h2 className="text-heading min-w-0 flex-1 font-semibold break-words" dir="auto">
              <Foreign text={task.title} />
            </h2>
            <button className="quiet mt-0.5 shrink-0" onClick={() => setEditing(true)} title="Edit (e)">
              Edit
            </button>
          </div>
          <Facts detail={detail} />
          {task.description && (
            <div className="mt-3">
              <Quoted>
                <Markdown text={task.description} />
              </Quoted>
            </div>
          )}
        </>
      )}
      <Checks detail={detail} />
      <Relatives detail={detail} onOpen={onOpen} />
      <TaskRuns taskId={task.id} teamId={task.teamId} isOver={task.completedAt !== null} />
      <Files id={task.id} />
      <Conversation detail={detail} />
      <History id={task.id} />
    </>
  );
}

function Facts({ detail: { task } }: Readonly<{ detail: TaskDetail }>): ReactNode {
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

function Fact({ name, children }: Readonly<{ name: string; children: ReactNode }>): ReactNode {
  return (
    <div className="flex min-w-0 items-center">
      <dt className="sr-only">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}

function Checks({ detail: { task, checks } }: Readonly<{ detail: TaskDetail }>): ReactNode {
  const { data } = useEvidence(task.id);
  if (checks.length === 0) return null;
  return (
    <Section
      title="Checks"
      aside={
        <span className="text-meta text-faint">
          {checks.filter(({ satisfied }) => satisfied).length} of {checks.length} passed
        </span>
      }
    >
      <ul className="flex flex-col gap-1.5">
        {checks.map((check) => {
          const newest = data?.evidence.find(({ checkId }) => checkId === check.id);
          return (
            <li key={check.id} className="flex gap-2">
              <span
                className={`mt-0.5 ${check.satisfied ? 'text-kelp' : 'text-faint'}`}
                role="img"
                aria-label={check.satisfied ? 'passed' : 'not passed yet'}
              >
                {check.satisfied ? (
                  <Icon name="tick" />
                ) : (
                  <span className="border-edge m-[3px] block size-2.5 rounded-full border" />
                )}
              </span>
              <div className="min-w-0 flex-1">
                <Foreign text={check.title} />{' '}
                {!check.required && <span className="text-meta text-faint">not required</span>}
                {newest && (
                  <Quoted
                    by={
                      <>
                        {newest.authorAgentId ?? 'somebody'}{' '}
                        <span className={newest.passed ? 'text-kelp' : 'text-amber'}>
                          {newest.passed ? 'passed' : 'failed'}
                        </span>
                        {!newest.current && <span className="text-faint">before the task changed</span>}{' '}
                        <Moment at={newest.createdAt} />
                      </>
                    }
                  >
                    <Markdown
                      text={
                        newest.reference ? `${newest.summary}\n\n\`${newest.reference}\`` : newest.summary
                      }
                    />
                  </Quoted>
                )}
              </div>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

function Relatives({
  detail,
  onOpen,
}: Readonly<{ detail: TaskDetail; onOpen(id: string): void }>): ReactNode {
  const link = useLink(detail.task.id);
  const lists = [
    { title: 'Waits for', found: detail.dependencies, isOwn: true },
    { title: 'Holds up', found: detail.dependents, isOwn: false },
    { title: 'Parts', found: detail.children, isOwn: false },
  ];
  return (
    <>
      {lists
        .filter(({ found }) => found.length > 0)
        .map(({ title, found, isOwn }) => (
          <Section key={title} title={title}>
            <ul>
              {found.map((other: Relative) => (
                <li key={other.id} className="row">
                  <StatusMark status={other.status} />
                  <button
                    className="min-w-0 truncate text-left underline-offset-2 hover:underline"
                    onClick={() => onOpen(other.id)}
                  >
                    <Foreign text={other.title} />
                  </button>
                  {isOwn && (
                    <button
                      className="quiet ml-auto shrink-0"
                      onClick={() => link.mutate({ on: other.id, isOff: true })}
                      aria-label={`No longer wait for ${other.title}`}
                      title="No longer wait for it"
                    >
                      <Icon name="close" size={13} />
                    </button>
                  )}
                </li>
              ))}
            </ul>
            <Refused error={link.error} />
          </Section>
        ))}
    </>
  );
}

function Files({ id }: Readonly<{ id: string }>): ReactNode {
  const { data } = useReservations(id);
  if (!data || data.reservations.length === 0) return null;
  return (
    <Section title="Files it works on">
      <ul>
        {data.reservations.map(({ id: key, pattern, reason, exclusive }) => (
          <li key={key} className="row">
            <code className="font-mono text-[12px]">
              <Foreign text={pattern} />
            </code>
            <span className="text-meta text-faint truncate">
              {exclusive ? 'alone' : 'with others'} {reason && <Foreign text={reason} />}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
