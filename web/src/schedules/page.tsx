import { useState, type ReactNode } from 'react';
import { Agent } from '../parts/agent.tsx';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { View } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { AddSchedule } from './add.tsx';
import { type Deed, type Schedule, useDeed, useSchedules } from './queries.ts';

/** What starts agents when nobody asks, and when it does so next. */
export function SchedulesPage(): ReactNode {
  const { data, error } = useSchedules();
  const deed = useDeed();
  const [isAdding, setAdding] = useState(false);
  return (
    <View
      title="Schedules"
      about="Agents that start by the clock, a label, a status or a webhook. Each time makes a task and a run."
      aside={
        !isAdding && (
          <button className="button button-main" onClick={() => setAdding(true)}>
            <Icon name="plus" size={12} />
            New schedule
          </button>
        )
      }
    >
      {isAdding && <AddSchedule onClose={() => setAdding(false)} />}
      <div className="px-4">
        <Refused error={error ?? deed.error} />
      </div>
      {!data && !error ? (
        <Skeleton />
      ) : data?.schedules.length === 0 ? (
        <Empty
          title="Nothing starts by itself"
          action={
            !isAdding && (
              <button className="button button-main" onClick={() => setAdding(true)}>
                Create a schedule
              </button>
            )
          }
          command={'holdfast schedule add "every weekday 7:00" --agent claude "triage new issues"'}
        >
          A schedule hands work to an agent at a time, or when a task gets a label or a status.
        </Empty>
      ) : (
        <ul>
          {data?.schedules.map((schedule) => (
            <Row
              key={schedule.id}
              schedule={schedule}
              onDeed={(verb) => deed.mutate({ id: schedule.id, verb })}
            />
          ))}
        </ul>
      )}
    </View>
  );
}

function Row({
  schedule,
  onDeed,
}: Readonly<{ schedule: Schedule; onDeed(verb: Deed['verb']): void }>): ReactNode {
  const { when, tz, kind, agent, prompt, next, last, paused } = schedule;
  return (
    <li
      className={`border-line flex flex-wrap items-center gap-x-4 gap-y-1 border-b px-4 py-2 ${paused ? 'text-soft' : ''}`}
    >
      <span className="min-w-0 flex-1 basis-72">
        <span className="flex flex-wrap items-center gap-x-2">
          <strong className="font-medium">
            <Foreign text={when} />
          </strong>
          {kind === 'time' && <span className="text-meta text-faint">{tz}</span>}
          <Agent name={agent} />
        </span>
        <span className="text-soft block truncate" title={prompt}>
          <Foreign text={prompt} />
        </span>
      </span>
      <span className="text-meta text-faint flex gap-3">
        <span>
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
        <span>
          {last === null ? (
            'never yet'
          ) : (
            <>
              last <Moment at={last} />
            </>
          )}
        </span>
      </span>
      <span className="flex gap-2">
        <button className="button" onClick={() => onDeed('run')}>
          Run now
        </button>
        <button className="button" onClick={() => onDeed(paused ? 'resume' : 'pause')}>
          {paused ? 'Resume' : 'Pause'}
        </button>
        <button className="button" onClick={() => onDeed('remove')}>
          Remove
        </button>
      </span>
    </li>
  );
}
