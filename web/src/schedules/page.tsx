import { useState, type ReactNode } from 'react';
import { useKeys } from '../frame/keys.ts';
import { usePlace, useProject, useSetPlace } from '../frame/place.ts';
import { Agent } from '../parts/agent.tsx';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Table, View } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { AddSchedule } from './add.tsx';
import { Deeds } from './deeds.tsx';
import { ScheduleDrawer } from './drawer.tsx';
import { type Schedule, useSchedules } from './queries.ts';
import { isOf } from '../frame/of-project.ts';

const COLUMNS = [
  ['Schedule', 'minmax(14rem,1fr)'],
  ['Agent', '10rem'],
  ['Next', '8rem'],
  ['Last', '8rem'],
  ['', '15.5rem'],
] as const;

/** What starts agents when nobody asks, and when it does so next. */
export function SchedulesPage(): ReactNode {
  const project = useProject();
  const { data, error } = useSchedules();
  const schedules = (data?.schedules ?? []).filter((each) => isOf(project, each.project));
  const { at } = usePlace();
  const setPlace = useSetPlace();
  const [isAdding, setAdding] = useState(false);
  const step = (by: number) => () => {
    const next =
      schedules[Math.max(0, Math.min(schedules.length - 1, schedules.findIndex(({ id }) => id === at) + by))];
    if (next) setPlace({ at: next.id });
  };
  useKeys('Schedules', {
    n: { does: 'New schedule', run: () => setAdding(true) },
    j: { does: 'Next schedule', run: step(1) },
    k: { does: 'Schedule before', run: step(-1) },
    ']': { does: 'Next schedule', run: step(1) },
    '[': { does: 'Schedule before', run: step(-1) },
  });
  const create = !isAdding && (
    <button className="button button-main" onClick={() => setAdding(true)}>
      <Icon name="plus" size={12} />
      New schedule
    </button>
  );
  return (
    <View
      title="Schedules"
      about="Agents that start by the clock, a label, a status or a webhook. Each time makes a task and a run."
      aside={schedules.length > 0 && create}
      detail={
        at !== undefined && (
          <ScheduleDrawer key={at} id={at} onClose={() => setPlace({ at: undefined }, true)} />
        )
      }
    >
      {isAdding && <AddSchedule onClose={() => setAdding(false)} />}
      <div className="px-4">
        <Refused error={error} />
      </div>
      {!data && !error ? (
        <Skeleton />
      ) : data && schedules.length === 0 ? (
        <Empty
          title="Nothing starts by itself"
          action={create}
          command={'holdfast schedule add "every weekday 7:00" --agent claude "triage new issues"'}
        >
          A schedule hands work to an agent at a time, or when a task gets a label or a status.
        </Empty>
      ) : (
        <Table label="Schedules" columns={COLUMNS}>
          {schedules.map((schedule) => (
            <Row key={schedule.id} schedule={schedule} isOpen={schedule.id === at} />
          ))}
        </Table>
      )}
    </View>
  );
}

function Row({ schedule, isOpen }: Readonly<{ schedule: Schedule; isOpen: boolean }>): ReactNode {
  const setPlace = useSetPlace();
  const { when, tz, kind, agent, prompt, next, last, paused } = schedule;
  return (
    <li className={`cells ${paused ? 'text-soft' : ''} ${isOpen ? 'bg-chosen' : ''}`}>
      <span className="min-w-0">
        <span className="flex flex-wrap items-baseline gap-x-2">
          <button
            className="in-words font-medium"
            aria-current={isOpen}
            onClick={() => setPlace({ at: schedule.id }, true)}
          >
            <Foreign text={when} />
          </button>
          {kind === 'time' && <span className="text-meta text-faint">{tz}</span>}
        </span>
        <span className="text-soft block truncate" title={prompt}>
          <Foreign text={prompt} />
        </span>
      </span>
      <Agent name={agent} />
      <span className="text-meta text-faint">
        {paused ? (
          'paused'
        ) : next === null ? (
          'when it happens'
        ) : (
          <>
            next <Moment at={next} />
          </>
        )}
      </span>
      <span className="text-meta text-faint">{last === null ? 'never yet' : <Moment at={last} />}</span>
      <span className="flex flex-wrap gap-2 @min-[740px]/list:justify-end">
        <Deeds schedule={schedule} onRemoved={() => isOpen && setPlace({ at: undefined })} />
      </span>
    </li>
  );
}
