import { lazy, Suspense, useMemo, type ReactNode } from 'react';
import { useOpenTask, usePlace, useSetPlace } from '../frame/place.ts';
import { Agent } from '../parts/agent.tsx';
import { CopyId } from '../parts/copy-id.tsx';
import { Drawer, Section } from '../parts/drawer.tsx';
import { Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign, Quoted } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { Switch } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { useCards } from '../board/cards.ts';
import { Attempts } from './attempts.tsx';
import { titleOf } from './title.ts';
import { Asking } from './run-approvals.tsx';
import { later } from '../frame/later.ts';
import { NotBegun } from './not-begun.tsx';
import { Output } from './output.tsx';
import { Plan } from './plan.tsx';
import { useCancel, useRun, useRunsOf, type Run, type RunDetail } from './queries.ts';
import { isOpen, RunState } from './state.tsx';
import type { Story } from './story.ts';
import { useStory } from './stream.ts';
import { Talk } from './talk.tsx';
import { Usage } from './usage.tsx';

/** Lines are read by who asks for them. */
const Review = lazy(later(async () => ({ default: (await import('../review/one.tsx')).ReviewOf })));

const TraceView = lazy(later(async () => ({ default: (await import('./trace-view.tsx')).TraceView })));
const Compare = lazy(later(async () => ({ default: (await import('./compare.tsx')).Compare })));

const VIEWS = [
  ['output', 'Output'],
  ['trace', 'Trace'],
  ['compare', 'Compare'],
  ['diff', 'Diff'],
] as const;
type RunView = (typeof VIEWS)[number][0];

/** What can be looked at: a diff where there is a worktree, another attempt where there was one. */
function useViews(run: Run | undefined): readonly (readonly [RunView, string])[] {
  const { data } = useRunsOf(run?.board_task ?? '', run?.board_task !== undefined);
  const hasOther = (run?.attempts?.length ?? 0) > 1 || (data?.tasks.length ?? 0) > 1;
  return VIEWS.filter(
    ([view]) => (view !== 'diff' || run?.worktree !== undefined) && (view !== 'compare' || hasOther),
  );
}

/** One run: what it was asked, what it says, what it changed; what it took, and a word to it, at the foot. */
export function RunDrawer({ id, onClose }: Readonly<{ id: string; onClose(): void }>): ReactNode {
  const { data, error } = useRun(id);
  const cancel = useCancel(id);
  const { view } = usePlace();
  const setPlace = useSetPlace();
  const run = data?.task;
  const { data: cards } = useCards();
  const views = useViews(run);
  const shown = views.find(([each]) => each === view)?.[0] ?? 'output';
  const isDiff = shown === 'diff';
  return (
    <Drawer
      label={`Run of ${run?.agent ?? 'an agent'}`}
      onClose={onClose}
      isWide
      head={
        run && (
          <div className="flex min-w-0 flex-1 flex-col gap-1.5 py-1">
            <h2 className="text-title truncate font-semibold" title={titleOf(run, cards)}>
              <Foreign text={titleOf(run, cards)} />
            </h2>
            <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
              <RunState run={run} />
              <Agent name={run.instance} />
              <Switch
                label="Show"
                value={shown}
                options={views}
                onChange={(to) =>
                  setPlace({ view: to === 'output' ? undefined : to, q: undefined, at: undefined })
                }
              />
              {isOpen(run) && (
                <button
                  className="button"
                  onClick={() => cancel.mutate()}
                  disabled={cancel.isPending || run.reason === 'cancelling'}
                >
                  Cancel
                </button>
              )}
            </div>
          </div>
        )
      }
      foot={
        run && (
          <>
            <Usage run={run} />
            {!isDiff && <Talk key={run.status} run={run} />}
          </>
        )
      }
    >
      <Refused error={error ?? cancel.error} />
      {run && run.status !== 'done' && run.error && shown !== 'output' && <Failure error={run.error} />}
      {data && shown === 'output' && <Document detail={data} />}
      {run && (shown === 'trace' || shown === 'compare') && (
        <Suspense fallback={<Skeleton />}>
          {shown === 'trace' ? <TraceView run={run} /> : <Compare run={run} />}
        </Suspense>
      )}
      {data && isDiff && (
        <Suspense fallback={<Skeleton />}>
          <Review id={data.task.task_id} isNarrow />
        </Suspense>
      )}
      {!data && !error && <Skeleton />}
    </Drawer>
  );
}

function Document({ detail }: Readonly<{ detail: RunDetail }>): ReactNode {
  const { task: run, prompt, result } = detail;
  const story = useStory(run.task_id);
  // What it said is its result most of the time: it is not shown twice.
  const isTold = useMemo(() => result === null || wordsOf(story).includes(bare(result)), [result, story]);
  return (
    <div className="flex flex-col gap-4">
      <Facts run={run} />
      <NotBegun run={run} />
      <Attempts run={run} />
      <details open={prompt.length < 400} className="group/asked">
        <summary className="section-title hover:text-ink flex items-center gap-1">
          <Icon name="right" size={11} className="text-faint group-open/asked:rotate-90" />
          Asked
        </summary>
        <div className="mt-1.5">
          <Quoted>
            <Markdown text={prompt} />
          </Quoted>
        </div>
      </details>
      <div className="flex flex-col gap-4 lg:flex-row-reverse">
        {story.plan.length > 0 && (
          <div className="shrink-0 lg:sticky lg:top-0 lg:w-56 lg:self-start">
            <Plan steps={story.plan} />
          </div>
        )}
        <Output story={story} isOpen={isOpen(run)}>
          <Asking runId={run.task_id} />
          {!isTold && result !== null && (
            <Section title="Result">
              <Quoted>
                <Markdown text={result} />
              </Quoted>
            </Section>
          )}
          {run.error && <Failure error={run.error} />}
        </Output>
      </div>
    </div>
  );
}

function wordsOf({ blocks }: Story): string {
  return bare(
    blocks.map((each) => (each.kind === 'prose' || each.kind === 'plain' ? each.text : '')).join(''),
  );
}

const bare = (text: string) => text.replaceAll(/\s+/g, '');

function Facts({ run }: Readonly<{ run: Run }>): ReactNode {
  const [, openTask] = useOpenTask();
  const { board_task: boardTask } = run;
  return (
    <div className="text-meta text-faint flex flex-col gap-0.5">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
        <span>
          began <Moment at={run.created_at} />
        </span>
        {boardTask !== undefined && (
          <button className="text-tide hover:underline" onClick={() => openTask(boardTask)}>
            Task
          </button>
        )}
        {run.worktree && (
          <span className="flex items-center gap-1">
            <Icon name="branch" size={12} />
            <code className="font-mono">{run.worktree.branch}</code>
          </span>
        )}
        {run.attempt > 0 && run.attempts && (
          <span>
            {run.attempts.length > 1 && `attempt ${run.attempt} `}on{' '}
            <Foreign text={run.runner ?? run.attempts.at(-1)?.runner ?? ''} />
          </span>
        )}
        {run.phase !== undefined && isOpen(run) && <span>{PHASES[run.phase] ?? run.phase}</span>}
        {run.waits_for && isOpen(run) && (
          <span className="text-amber">
            <Foreign text={run.waits_for.text} />
          </span>
        )}
      </p>
      <p className="flex min-w-0 flex-wrap gap-x-3 font-mono text-[11px]">
        <code title="The name it acts under">{run.agent}</code>
        <code className="min-w-0 truncate" title={run.cwd}>
          {run.cwd}
        </code>
        <CopyId id={run.task_id} />
      </p>
    </div>
  );
}

const PHASES: Readonly<Record<string, string>> = {
  starting: 'is starting',
  running: 'is at work',
  waiting_approval: 'waits for an approval',
  waiting_input: 'waits for an answer',
  waiting_quota: 'waits for its quota',
  cancelling: 'is stopping',
};

function Failure({ error }: Readonly<{ error: NonNullable<Run['error']> }>): ReactNode {
  return (
    <section className="bg-amber-wash mb-3 rounded-one px-3 py-2" aria-label="What went wrong">
      <p className="text-amber font-medium">
        <Foreign text={error.text} />
      </p>
      {error.stderr && (
        <pre className="mt-1 overflow-x-auto font-mono text-[12px] whitespace-pre-wrap" tabIndex={0}>
          <Foreign text={error.stderr} />
        </pre>
      )}
    </section>
  );
}
