import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { isMissing } from '../api/call.ts';
import { afresh, useOpenTask } from '../frame/place.ts';
import { useKeys } from '../frame/keys.ts';
import { Agent } from '../parts/agent.tsx';
import { Drawer, Section } from '../parts/drawer.tsx';
import { Foreign, Quoted } from '../parts/foreign.tsx';
import { Moment } from '../parts/time.tsx';
import { Unready } from '../parts/unready.tsx';
import { useMayRun } from '../runs/queries.ts';
import { Deeds } from './deeds.tsx';
import { ScheduleForm, type Said } from './form.tsx';
import { useChange, useSchedule, type Fire, type Schedule } from './queries.ts';

/** One schedule: what it does, what came of its last times, and how it is to be otherwise. */
export function ScheduleDrawer({ id, onClose }: Readonly<{ id: string; onClose(): void }>): ReactNode {
  const { data, error } = useSchedule(id);
  return (
    <Drawer
      label="Schedule"
      onClose={onClose}
      head={
        <h2 className="text-title truncate font-semibold">
          {data ? <Foreign text={data.schedule.when} /> : 'Schedule'}
        </h2>
      }
    >
      {data ? (
        <>
          <Body schedule={data.schedule} onClose={onClose} />
          <Times fires={data.fires} />
        </>
      ) : isMissing(error) ? (
        <Section title="There is no such schedule">
          <p className="text-soft">It was removed, or the address is wrong. The list has all there are.</p>
        </Section>
      ) : (
        <Unready error={error} />
      )}
    </Drawer>
  );
}

const MISSED: Readonly<Record<Schedule['missed'], string>> = {
  once: 'made up for once',
  skip: 'not made up for',
  all: 'each made up for',
};

function Body({ schedule, onClose }: Readonly<{ schedule: Schedule; onClose(): void }>): ReactNode {
  const { agent, prompt, tz, kind, missed, project, folder, madeBy, webhook, next, paused } = schedule;
  const mayRun = useMayRun();
  const [isChanging, setChanging] = useState(false);
  const change = useChange();
  const begin = () => setChanging(true);
  useKeys('What lies open', { e: { does: 'Change', run: begin } }, mayRun && !isChanging);
  if (isChanging)
    return (
      <ScheduleForm
        label="Change the schedule"
        verb="Apply"
        of={`schedule ${schedule.id}`}
        now={schedule}
        teamId={project}
        sending={change}
        onSend={(said, done) =>
          change.mutate(
            { id: schedule.id, ...differing(schedule, said) },
            { onSuccess: () => (done(), setChanging(false)) },
          )
        }
        onClose={() => setChanging(false)}
      />
    );
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Next', paused ? 'paused' : next === null ? 'when it happens' : <Moment key="next" at={next} />],
    ['Agent', <Agent key="agent" name={agent} />],
    ...(kind === 'time' ? ([['Zone', tz]] as const) : []),
    ...(kind === 'time' ? ([['Missed times', MISSED[missed]]] as const) : []),
    ['Project', project === null ? 'none' : <Foreign key="project" text={project} />],
    ...(folder === null ? [] : ([['Folder', <Foreign key="folder" text={folder} />]] as const)),
    ...(webhook === undefined ? [] : ([['Posted to', <code key="hook">{webhook}</code>]] as const)),
    ['Made by', <Foreign key="by" text={madeBy === 'operator' ? 'you' : madeBy} />],
  ];
  return (
    <>
      <Quoted>
        <p className="whitespace-pre-wrap">
          <Foreign text={prompt} />
        </p>
      </Quoted>
      <dl className="mt-3 grid grid-cols-[7rem_minmax(0,1fr)] gap-x-4 gap-y-1.5">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
      </dl>
      {mayRun && (
        <div className="mt-4 flex flex-wrap items-center gap-2">
          <button className="button" onClick={begin} title="e">
            Change
          </button>
          <Deeds schedule={schedule} onRemoved={onClose} />
        </div>
      )}
    </>
  );
}

/** What differs, and nothing else: what somebody else changed meanwhile stays. */
function differing(now: Schedule, said: Said): Partial<Said> {
  const entries = Object.entries(said).filter(([name, value]) => now[name as keyof Schedule] !== value);
  return Object.fromEntries(entries);
}

const BY: Readonly<Record<Fire['by'], string>> = {
  time: 'by the clock',
  hand: 'by hand',
  task: 'because of a task',
  webhook: 'by its webhook',
};
const STATES: Readonly<Record<Fire['state'], string>> = {
  waiting: 'waits',
  started: 'started',
  failed: 'failed',
  skipped: 'left out',
};

function Times({ fires }: Readonly<{ fires: readonly Fire[] }>): ReactNode {
  const [, openTask] = useOpenTask();
  return (
    <Section title="Last times">
      {fires.length === 0 && <p className="text-soft">It has not fired yet.</p>}
      <ul aria-label="Last times">
        {fires.map(({ id, at, by, state, task, run, error }) => (
          <li
            key={id}
            className="border-line flex flex-wrap items-baseline gap-x-3 border-b py-1 last:border-0"
          >
            <Moment at={at} />
            <span className={state === 'failed' || state === 'skipped' ? 'text-amber' : ''}>
              {STATES[state]}
            </span>
            <span className="text-meta text-faint">{BY[by]}</span>
            <span className="ml-auto flex gap-2">
              {task !== null && (
                <button className="quiet" onClick={() => openTask(task)}>
                  Its task
                </button>
              )}
              {run !== null && (
                <Link to="/runs/$runId" params={{ runId: run }} search={afresh} className="quiet">
                  Its run
                </Link>
              )}
            </span>
            {error !== null && (
              <p className="text-amber basis-full break-words">
                <Foreign text={error} />
              </p>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
