import { useState, type ReactNode } from 'react';
import type { TaskDetail } from '../../../src/features/board/detail.ts';
import { isMissing } from '../api/call.ts';
import { useDrafts } from '../drafts/use-draft.ts';
import { useKeys } from '../frame/keys.ts';
import { Drawer, Section } from '../parts/drawer.tsx';
import { Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign, Quoted } from '../parts/foreign.tsx';
import { TaskLanding } from '../landing/task-landing.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { TaskRuns } from '../runs/start.tsx';
import { TaskTrials } from '../runs/trial.tsx';
import { useTroubles } from '../trouble/trouble.ts';
import { Troubles } from '../trouble/troubles.tsx';
import { useCards } from './cards.ts';
import { Checks } from './checks.tsx';
import { Conversation, History } from './conversation.tsx';
import { EditTask, editing } from './edit-task.tsx';
import { Facts } from './facts.tsx';
import { useTask } from './queries.ts';
import { Files, Relatives } from './relatives.tsx';
import { StatusMenu } from './status-menu.tsx';

type DrawerProps = Readonly<{ id: string; onClose(): void; onOpen(id: string): void }>;

export function TaskDrawer({ id, onClose, onOpen }: DrawerProps): ReactNode {
  const { data, error } = useTask(id);
  const { data: cards } = useCards();
  // The card is the newer one: it shows a change before the hub has answered.
  const status = cards?.get(id)?.status ?? data?.task.status;
  return (
    <Drawer
      isOfFrame
      label={`Task: ${data?.task.title ?? cards?.get(id)?.title ?? ''}`}
      onClose={onClose}
      head={status && <StatusMenu id={id} status={status} detail={data} />}
    >
      {error ? (
        isMissing(error) ? (
          <Section title="This task is not on the board">
            <p className="text-soft">
              It was taken off, or it never was here. Its history stays in the event log.
            </p>
          </Section>
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

/** Calls at this task that were kept from running, and runs of it that failed or were lost. */
function WentWrong({ id }: Readonly<{ id: string }>): ReactNode {
  const troubles = useTroubles().filter(({ task }) => task === id);
  if (troubles.length === 0) return null;
  return (
    <Section title="Refused, failed or lost">
      <Troubles troubles={troubles} isAbout />
    </Section>
  );
}

function Body({ detail, onOpen }: Readonly<{ detail: TaskDetail; onOpen(id: string): void }>): ReactNode {
  const { task } = detail;
  const [isEditing, setEditing] = useState(false);
  const isBegun = useDrafts(editing(task.id)).size > 0;
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
              {isBegun ? 'Continue editing' : 'Edit'}
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
      <WentWrong id={task.id} />
      <TaskLanding task={task} onOpen={onOpen} />
      <TaskTrials taskId={task.id} />
      <TaskRuns taskId={task.id} teamId={task.teamId} isOver={task.completedAt !== null} />
      <Files id={task.id} />
      <Conversation detail={detail} />
      <History id={task.id} />
    </>
  );
}
