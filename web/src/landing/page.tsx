import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Refusal } from '../api/call.ts';
import { useCards } from '../board/cards.ts';
import { useHub } from '../frame/hub.ts';
import { useOpenTask, useProject } from '../frame/place.ts';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { Icon } from '../parts/icons.tsx';
import { View, ViewClosed, ViewUnready } from '../parts/page.tsx';
import { CollisionList } from './collisions.tsx';
import { type LandingView, useCollisions, useLandings, usePauseLanding, useQueues } from './queries.ts';
import { LandingRow } from './row.tsx';
import { isUnderWay } from './state.tsx';
import { isOf } from '../frame/of-project.ts';

const SIGN_IN = new Refusal(401, {});
const SHOWN_OVER = 50;

/** What waits to land, what is tested now, what does not go together, and what became of the rest. */
export function LandingPage(): ReactNode {
  const { data: hub } = useHub();
  const project = useProject();
  const { data, error } = useLandings();
  const { data: met } = useCollisions();
  const { data: cards } = useCards();
  const [, open] = useOpenTask();
  if (!hub) return <ViewUnready />;
  if (!hub.isSignedIn || error)
    return (
      <ViewClosed error={error ?? SIGN_IN} what="Landings">
        <Nothing />
      </ViewClosed>
    );
  const landings = (data?.landings ?? []).filter((each) => isOf(project, each.project));
  // The queue is worked on from its beginning.
  const waiting = landings.filter(isUnderWay).toReversed();
  const over = landings.filter((each) => !isUnderWay(each)).slice(0, SHOWN_OVER);
  const teamOf = (task: string | null) => (task === null ? null : cards?.get(task)?.teamId);
  const collisions = (met?.collisions ?? []).filter(({ a, b }) =>
    isOf(project, teamOf(a.task), teamOf(b.task)),
  );
  const asked = waiting.filter(({ state }) => state === 'waiting_person');
  const testing = waiting.filter(({ state }) => state === 'testing');
  const queued = waiting.filter(({ state }) => state === 'queued' || state === 'held');
  return (
    <View
      title="Landing"
      aside={<Pausing project={project} />}
      about="Branches that reach their target once its checks pass on the result."
    >
      {!data ? <Skeleton /> : landings.length === 0 && collisions.length === 0 && <Nothing />}
      <Part title="Waits for you" isCoral landings={asked} onOpen={open} />
      <Part
        title={testing.length > 1 ? `Batch under way, ${testing.length} together` : 'Under way'}
        landings={testing}
        onOpen={open}
      />
      <Part title="Queue" landings={queued} onOpen={open} />
      {collisions.length > 0 && (
        <section aria-label="Branches that do not go together">
          <h2 className="section-title px-4 pt-4 pb-1.5">Branches that do not go together</h2>
          <CollisionList collisions={collisions} onOpen={open} />
        </section>
      )}
      <Part title="Finished" landings={over} onOpen={open} />
    </View>
  );
}

type PartProps = Readonly<{
  title: string;
  landings: readonly LandingView[];
  isCoral?: boolean;
  onOpen(task: string): void;
}>;

function Part({ title, landings, isCoral = false, onOpen }: PartProps): ReactNode {
  if (landings.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 className={`section-title px-4 pt-4 pb-1.5 ${isCoral ? 'text-coral!' : ''}`}>{title}</h2>
      <ul className="border-line border-t">
        {landings.map((landing) => (
          <LandingRow key={landing.id} landing={landing} onOpen={onOpen} />
        ))}
      </ul>
    </section>
  );
}

function Pausing({ project }: Readonly<{ project: string | undefined }>): ReactNode {
  const { data } = useQueues();
  const pause = usePauseLanding();
  const queues = (data?.queues ?? []).filter((each) => isOf(project, each.project));
  if (queues.length === 0) return null;
  const isPaused = queues.some(({ paused }) => paused);
  return (
    <>
      {pause.error && <Refused error={pause.error} />}
      {isPaused && <span className="text-amber">Nothing lands for now.</span>}
      <button
        className="button"
        disabled={pause.isPending}
        onClick={() => pause.mutate({ paused: !isPaused, ...(project !== undefined && { project }) })}
      >
        <Icon name={isPaused ? 'runs' : 'wait'} size={12} />
        {isPaused ? 'Resume' : 'Pause'}
      </button>
    </>
  );
}

function Nothing(): ReactNode {
  return (
    <Empty
      title="Nothing waits to land"
      action={
        <Link to="/review" className="button">
          Look at what is handed in
        </Link>
      }
      command="holdfast land <task>"
    >
      Say in <code className="font-mono">.holdfast/checks.yaml</code> on the branch that things land on what
      has to hold. A task with a branch then has a button that lands it: the hub merges it, runs those checks
      on the result, and moves the target only when they pass.
    </Empty>
  );
}
