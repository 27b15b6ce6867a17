import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Task } from '../../../src/features/board/task.ts';
import { Section } from '../parts/drawer.tsx';
import { Refused } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Files } from './collisions.tsx';
import { type LandQueue, useCollisions, useLand, useLandings, useMayLand, useQueues } from './queries.ts';
import { LandingRow } from './row.tsx';
import { isUnderWay } from './state.tsx';

type TaskLandingProps = Readonly<{ task: Task; onOpen(id: string): void }>;

/** Where the branch of a task stands on its way into the target, and what it does not go together with. */
export function TaskLanding({ task, onOpen }: TaskLandingProps): ReactNode {
  const mayLand = useMayLand();
  const { data } = useLandings();
  const { data: known } = useQueues();
  const land = useLand(task.id);
  const newest = data?.landings.find((each) => each.task === task.id);
  const isOver = task.status === 'done' || task.status === 'cancelled';
  if (!mayLand || (task.branchRef === null && !newest)) return null;
  const canLand = !isOver && task.branchRef !== null && !(newest && isUnderWay(newest));
  const queue = known?.queues.find(({ project }) => project === task.teamId);
  return (
    <Section title="Landing">
      <Collides task={task} onOpen={onOpen} />
      {newest && (
        <ul className="border-line -mx-4 border-t">
          <LandingRow landing={newest} />
        </ul>
      )}
      {task.branchRef !== null && (
        <Link to="/review/$reviewId" params={{ reviewId: task.id }} className="button button-main mt-2">
          <Icon name="eye" size={13} />
          Review the changes
        </Link>
      )}
      {canLand && (
        <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1">
          <button className="button" disabled={land.isPending} onClick={() => land.mutate()}>
            <Icon name="landing" size={13} />
            Land <Foreign text={task.branchRef!} /> {queue ? `on ${queue.target}` : ''}
          </button>
          <span className="text-meta text-soft min-w-0 flex-1 basis-60">{whatHappens(queue)}</span>
        </div>
      )}
      <Refused error={land.error} />
    </Section>
  );
}

function whatHappens(queue: LandQueue | undefined): string {
  const target = queue?.target ?? 'the target branch';
  const how = { merge: 'Merged', rebase: 'Rebased', squash: 'Squashed' }[queue?.how ?? 'merge'];
  const paused = queue?.paused ? ' The queue is paused: it waits until you resume it.' : '';
  return `${how} onto ${target}; its checks run on the result, and when they pass ${target} moves and this task is done.${paused}`;
}

function Collides({ task, onOpen }: TaskLandingProps): ReactNode {
  const { data } = useCollisions();
  const mine = (data?.collisions ?? []).filter(({ a, b }) => a.task === task.id || b.task === task.id);
  if (mine.length === 0) return null;
  return (
    <ul className="mb-2">
      {mine.map(({ a, b, files, first }) => {
        const isFirst = first === task.id;
        const other = isFirst ? b : a;
        return (
          <li key={other.branch} className="text-amber flex flex-wrap items-start gap-x-2">
            <Icon name="collision" size={13} className="mt-1 shrink-0" />
            <span className="min-w-0 flex-1">
              Does not go together with{' '}
              <button
                className="font-mono text-[12px] underline underline-offset-2"
                disabled={other.task === null}
                onClick={() => other.task !== null && onOpen(other.task)}
              >
                <Foreign text={other.branch} />
              </button>
              {isFirst ? ', which came later.' : ', which was there first.'}
            </span>
            <Files files={files} />
          </li>
        );
      })}
    </ul>
  );
}
