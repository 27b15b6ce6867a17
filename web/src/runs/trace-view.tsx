import { useMemo, useState, type ReactNode } from 'react';
import { usePlace, useSetPlace } from '../frame/place.ts';
import { useNow } from '../parts/clock.ts';
import { count } from '../parts/count.ts';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { money, time } from '../pulse/say.ts';
import { ContextChart } from './context-chart.tsx';
import { Exchanged, Told } from './output.tsx';
import type { Run } from './queries.ts';
import { useStory } from './stream.ts';
import { filterSteps, sumUp, traceOf, type StepKind, type Trace, type TraceStep } from './trace.ts';
import { short } from './usage.tsx';

/** A run as a timeline: each step with how long it took, what stood in the context, and what it cost. */
export function TraceView({ run }: Readonly<{ run: Run }>): ReactNode {
  const trace = useTrace(run.task_id);
  const { q = '', at: kind } = usePlace();
  const setPlace = useSetPlace();
  const wanted = KINDS.find(([each]) => each === kind)?.[0];
  const shown = filterSteps(trace.steps, { kind: wanted, text: q });
  if (trace.steps.length === 0) return <p className="text-soft">It has no steps yet.</p>;
  return (
    <div className="@container/trace flex flex-col gap-3">
      <Summary trace={trace} />
      <ContextChart trace={trace} />
      <div className="flex flex-wrap items-center gap-2" role="search" aria-label="Steps">
        <input
          className="field min-w-0 flex-1 basis-40"
          aria-label="Search the steps"
          placeholder="Search the steps"
          value={q}
          onChange={({ target }) => setPlace({ q: target.value === '' ? undefined : target.value })}
        />
        <select
          className="field"
          aria-label="Kind of step"
          value={wanted ?? ''}
          onChange={({ target }) => setPlace({ at: target.value === '' ? undefined : target.value })}
        >
          <option value="">All steps</option>
          {KINDS.filter(
            ([each]) => each === wanted || filterSteps(trace.steps, { kind: each }).length > 0,
          ).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
        <span className="text-meta text-faint" role="status">
          {shown.length === trace.steps.length
            ? count(shown.length, 'step')
            : `${shown.length} of ${trace.steps.length} steps`}
        </span>
      </div>
      <Steps trace={trace} steps={shown} />
    </div>
  );
}

const KINDS: readonly (readonly [StepKind | 'failed', string])[] = [
  ['call', 'Tool calls'],
  ['failed', 'Failed'],
  ['words', 'Words'],
  ['thought', 'Thoughts'],
  ['wait', 'Waiting'],
  ['message', 'Messages'],
  ['notice', 'Notices'],
];

export function useTrace(id: string): Trace {
  const story = useStory(id);
  return useMemo(() => traceOf(story), [story]);
}

/** What it all came to; what no frame says is not there. */
function Summary({ trace }: Readonly<{ trace: Trace }>): ReactNode {
  const { calls, failed, ms, waitedMs, fullest, costUsd } = sumUp(trace);
  const parts = [
    `${calls} tool ${calls === 1 ? 'call' : 'calls'}${failed > 0 ? `, ${failed} failed` : ''}`,
    ms !== undefined && `${time(ms)} from first to last`,
    waitedMs > 0 && `${time(waitedMs)} of it waiting`,
    fullest !== undefined && `context up to ${short(fullest)}${filled(fullest, trace.window)}`,
    costUsd !== undefined && costText(costUsd),
  ].filter((each) => typeof each === 'string');
  return <p className="text-soft">{parts.join(' · ')}</p>;
}

export const filled = (used: number, window: number | undefined): string =>
  window === undefined ? '' : ` of ${short(window)} (${Math.round((used / window) * 100)}%)`;

export const costText = (usd: number): string => (usd < 0.01 ? `$${usd.toFixed(4)}` : money(usd));

type StepsProps = Readonly<{ trace: Trace; steps: readonly TraceStep[]; isBare?: boolean }>;

/** `isBare`: beside another one, where there is no room for a timeline. */
export function Steps({ trace, steps, isBare = false }: StepsProps): ReactNode {
  const [most, setMost] = useState(STEP_PAGE);
  if (steps.length === 0) return <p className="text-soft py-4">No step is like that.</p>;
  return (
    <>
      {!isBare && <Heads />}
      <ol aria-label="Steps" className="divide-line border-line divide-y border-y">
        {steps.slice(0, most).map((step) => (
          <StepRow key={step.key} step={step} trace={trace} isBare={isBare} />
        ))}
      </ol>
      {steps.length > most && (
        <button className="button self-start" onClick={() => setMost(most + STEP_PAGE)}>
          Show more of {steps.length - most}
        </button>
      )}
    </>
  );
}

/** Of the columns below, where there is room for columns. */
function Heads(): ReactNode {
  return (
    <p
      className="text-meta text-faint -mb-2 hidden items-center gap-x-2 @min-[560px]/trace:flex"
      aria-hidden="true"
    >
      <span className="flex-1 pl-5">Step</span>
      <span className="w-[34%]">When</span>
      <span className="flex shrink-0 gap-2 text-right">
        <span className="w-14">Cost</span>
        <span className="w-11">Context</span>
        <span className="w-12">Took</span>
      </span>
    </p>
  );
}

const STEP_PAGE = 200;

type RowProps = Readonly<{ step: TraceStep; trace: Trace; isBare: boolean }>;

function StepRow({ step, trace, isBare }: RowProps): ReactNode {
  const [isShown, setShown] = useState(false);
  const { title, gist, state, kind, context, costUsd } = step;
  const took = useTook(step);
  return (
    <li>
      <details onToggle={({ currentTarget }) => setShown(currentTarget.open)} className="group/step">
        <summary className="hover:bg-sunken flex min-h-8 min-w-0 flex-wrap items-center gap-x-2 py-1 @min-[560px]/trace:flex-nowrap">
          <Icon name="right" size={11} className="text-faint shrink-0 group-open/step:rotate-90" />
          <span className="flex min-w-0 flex-1 basis-40 items-center gap-1.5">
            <span className={`max-w-[60%] shrink-0 truncate font-medium ${colourOf(step)}`}>
              <Foreign text={title} />
            </span>
            {state === 'failed' && kind === 'call' && (
              <span className="text-meta text-amber shrink-0">failed</span>
            )}
            <span
              className={`text-faint min-w-0 flex-1 truncate ${kind === 'call' ? 'font-mono text-[12px]' : ''}`}
            >
              <Foreign text={gist} />
            </span>
          </span>
          {!isBare && <Span step={step} trace={trace} />}
          <span className="text-meta text-soft flex shrink-0 justify-end gap-2 text-right tabular-nums">
            <span className="@min-[560px]/trace:w-14" title="What it cost">
              {costUsd !== undefined && costText(costUsd)}
            </span>
            <span
              className="@min-[560px]/trace:w-11"
              title={
                context === undefined ? undefined : `In the context: ${context.toLocaleString('en')} tokens`
              }
            >
              {context !== undefined && (
                <>
                  {short(context)}
                  <span className="sr-only"> tokens in the context</span>
                </>
              )}
            </span>
            <span className="w-12" title="How long it took">
              {took === undefined ? '' : time(took)}
            </span>
          </span>
        </summary>
        {isShown && (
          <div className="mb-2 pl-5">
            {step.block.kind === 'call' ? <Exchanged call={step.block} /> : <Told block={step.block} />}
          </div>
        )}
      </details>
    </li>
  );
}

/** What is under way counts on. */
function useTook({ from, until, kind, state }: TraceStep): number | undefined {
  const now = useNow();
  if (from === undefined) return undefined;
  if (until === undefined) return state === 'runs' ? Math.max(0, now - from) : undefined;
  return until === from && kind !== 'call' ? undefined : until - from;
}

const colourOf = ({ state, kind }: TraceStep): string =>
  state === 'failed' ? 'text-amber' : kind === 'call' ? '' : 'text-soft';

const FILLS: Readonly<Record<StepKind, string>> = {
  call: 'bg-tide',
  words: 'bg-edge',
  thought: 'bg-edge',
  message: 'bg-edge',
  notice: 'bg-edge',
  wait: 'trace-wait',
  error: 'bg-amber',
};

/** Where in the run it lies: its beginning and its length, drawn. */
function Span({ step, trace }: Readonly<{ step: TraceStep; trace: Trace }>): ReactNode {
  const { from = 0, until = from } = trace;
  const whole = Math.max(1, until - from);
  const left = ((step.from ?? from) - from) / whole;
  const width = ((step.until ?? until) - (step.from ?? from)) / whole;
  return (
    <span
      className="bg-sunken relative order-last h-2 w-full shrink-0 overflow-hidden rounded-full @min-[560px]/trace:order-none @min-[560px]/trace:w-[34%]"
      aria-hidden="true"
    >
      {step.from !== undefined && (
        <span
          className={`absolute inset-y-0 min-w-[3px] rounded-full ${step.state === 'failed' ? 'bg-amber' : FILLS[step.kind]}`}
          style={{ left: `${Math.min(99, left * 100)}%`, width: `${width * 100}%` }}
        />
      )}
    </span>
  );
}
