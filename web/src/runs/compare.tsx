import type { ReactNode } from 'react';
import { usePlace, useSetPlace } from '../frame/place.ts';
import { Foreign } from '../parts/foreign.tsx';
import { time } from '../pulse/say.ts';
import { endText } from './attempts.tsx';
import { useRun, useRunsOf, type Run } from './queries.ts';
import { filterSteps, sumUp } from './trace.ts';
import { costText, filled, Steps, useTrace } from './trace-view.tsx';
import { short } from './usage.tsx';
import { whyFailed } from './failure.ts';

/** One side: a run, or one attempt of it. Written `id` or `id.n`. */
type Side = Readonly<{ id: string; attempt?: number }>;

const nameOf = ({ id, attempt }: Side): string => (attempt === undefined ? id : `${id}.${attempt}`);

/** What this run can be laid beside: its own attempts, and other runs at the same task. */
export function useSides(run: Run): readonly (Side & Readonly<{ label: string }>)[] {
  const { data } = useRunsOf(run.board_task ?? '', run.board_task !== undefined);
  const own = run.attempts ?? [];
  const others = (data?.tasks ?? []).filter((each) => each.task_id !== run.task_id);
  return [
    ...(own.length > 1
      ? own.map((attempt) => ({
          id: run.task_id,
          attempt: attempt.n,
          label: `Attempt ${attempt.n}: ${endText(attempt)}`,
        }))
      : [{ id: run.task_id, label: `This run, ${run.instance}: ${run.status}` }]),
    ...others.map((each) => ({ id: each.task_id, label: `${each.agent}: ${each.status}` })),
  ];
}

/** Two attempts side by side: what each came to, and step by step. */
export function Compare({ run }: Readonly<{ run: Run }>): ReactNode {
  const sides = useSides(run);
  const { at = '' } = usePlace();
  const setPlace = useSetPlace();
  const [first, second] = at.split('~');
  const left = sides.find((side) => nameOf(side) === first) ?? sides[0]!;
  const right = sides.find((side) => nameOf(side) === second) ?? sides.find((side) => side !== left) ?? left;
  const choose = (one: Side, other: Side) => setPlace({ at: `${nameOf(one)}~${nameOf(other)}` });
  return (
    <div className="@container/compare">
      <div className="grid gap-6 @min-[640px]/compare:grid-cols-2">
        <Column title="First" side={left} sides={sides} onChoose={(side) => choose(side, right)} />
        <Column title="Second" side={right} sides={sides} onChoose={(side) => choose(left, side)} />
      </div>
    </div>
  );
}

type ColumnProps = Readonly<{
  title: string;
  side: Side;
  sides: ReturnType<typeof useSides>;
  onChoose(side: Side): void;
}>;

function Column({ title, side, sides, onChoose }: ColumnProps): ReactNode {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-2">
      <select
        className="field w-full"
        aria-label={`${title} to compare`}
        value={nameOf(side)}
        onChange={({ target }) => {
          const chosen = sides.find((each) => nameOf(each) === target.value);
          if (chosen) onChoose(chosen);
        }}
      >
        {sides.map((each) => (
          <option key={nameOf(each)} value={nameOf(each)}>
            {each.label}
          </option>
        ))}
      </select>
      <Half key={nameOf(side)} side={side} />
    </section>
  );
}

function Half({ side }: Readonly<{ side: Side }>): ReactNode {
  const { data } = useRun(side.id);
  const trace = useTrace(side.id);
  const run = data?.task;
  const attempt = run?.attempts?.find(({ n }) => n === side.attempt);
  const { calls, failed, ms, waitedMs, fullest, costUsd } = sumUp(trace, side.attempt);
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Ended', attempt ? endText(attempt) : run?.status],
    ['Why', run && (attempt === undefined || attempt.end === 'failed') ? whyFailed(run) : undefined],
    ['Runner', attempt?.runner ?? run?.attempts?.at(-1)?.runner],
    ['Took', ms === undefined ? undefined : time(ms)],
    ['Waited', waitedMs > 0 ? time(waitedMs) : undefined],
    ['Calls', `${calls}${failed > 0 ? `, ${failed} failed` : ''}`],
    ['Context', fullest === undefined ? undefined : `${short(fullest)}${filled(fullest, trace.window)}`],
    ['Cost', costUsd === undefined ? undefined : costText(costUsd)],
  ];
  return (
    <>
      <dl className="grid grid-cols-[5rem_1fr] gap-x-2 gap-y-0.5">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-faint">{name}</dt>
            <dd className="min-w-0 break-words">{value === undefined ? '–' : <Foreign text={value} />}</dd>
          </div>
        ))}
      </dl>
      <Steps trace={trace} steps={filterSteps(trace.steps, { attempt: side.attempt })} isBare />
    </>
  );
}
