import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { Refusal } from '../api/call.ts';
import { useHub } from '../frame/hub.ts';
import { useOpenTask } from '../frame/place.ts';
import { Agent } from '../parts/agent.tsx';
import { Drawer, Section } from '../parts/drawer.tsx';
import { Empty, Refused, Skeleton, Unavailable } from '../parts/empty.tsx';
import { Foreign, Quoted } from '../parts/foreign.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { PageHead } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { Output } from './output.tsx';
import { useRun, useRunAction, useRuns, type Run } from './queries.ts';

const WORDS: Readonly<Record<Run['status'], readonly [string, string]>> = {
  pending: ['waits', 'text-soft'],
  active: ['runs', 'text-tide'],
  done: ['done', 'text-kelp'],
  failed: ['failed', 'text-amber'],
  cancelled: ['cancelled', 'text-faint'],
  expired: ['ran out of time', 'text-amber'],
};

const SIGN_IN = new Refusal(401, {});

export function RunsPage(): ReactNode {
  const { data: hub } = useHub();
  const { runId } = useParams({ strict: false });
  const navigate = useNavigate();
  const { data, error } = useRuns();
  const nothing = (
    <Empty isPage title="No run yet" command={'holdfast send claude "Fix the login redirect"'}>
      A run is an agent that the hub started: its output, its cost and its end are kept, and every process of
      it dies with it.
    </Empty>
  );
  if (!hub) return <Skeleton />;
  if (!hub.rooms.includes('dispatch')) return nothing;
  if (!hub.isSignedIn || error)
    return (
      <Unavailable error={error ?? SIGN_IN} what="Runs">
        {nothing}
      </Unavailable>
    );
  if (!data) return <Skeleton />;
  if (data.tasks.length === 0) return nothing;
  return (
    <div className="flex min-h-0 flex-1">
      <div className="min-w-0 flex-1 overflow-y-auto">
        <PageHead title="Runs">Agents that the hub started, newest first.</PageHead>
        <ul className="border-line border-t">
          {data.tasks.map((run) => (
            <li key={run.task_id} className="border-line border-b">
              <Link
                to="/runs/$runId"
                params={{ runId: run.task_id }}
                className={`row hover:bg-sunken px-4 ${run.task_id === runId ? 'bg-sunken' : ''}`}
              >
                <State run={run} />
                <span className="shrink-0">
                  <Agent name={run.agent} />
                </span>
                <span className="text-soft min-w-0 flex-1 truncate">
                  <Foreign text={run.last_message ?? ''} />
                </span>
                {run.cost_usd !== undefined && (
                  <span className="text-meta text-faint">${run.cost_usd.toFixed(2)}</span>
                )}
                <Moment at={run.created_at} />
              </Link>
            </li>
          ))}
        </ul>
      </div>
      {runId !== undefined && (
        <RunDrawer key={runId} id={runId} onClose={() => void navigate({ to: '/runs' })} />
      )}
    </div>
  );
}

function State({ run }: Readonly<{ run: Run }>): ReactNode {
  const [word, colour] = WORDS[run.status];
  const isAsking = run.reason === 'waiting_approval' || run.reason === 'waiting_input';
  return (
    <span className={`w-28 shrink-0 ${isAsking ? 'text-coral' : colour}`}>
      {isAsking ? 'waits for you' : word}
    </span>
  );
}

function RunDrawer({ id, onClose }: Readonly<{ id: string; onClose(): void }>): ReactNode {
  const { data, error } = useRun(id);
  const act = useRunAction(id);
  const [, openTask] = useOpenTask();
  const [text, setText] = useState('');
  const run = data?.task;
  const isOpen = run?.status === 'pending' || run?.status === 'active';
  return (
    <Drawer
      label="A run"
      onClose={onClose}
      head={
        run && (
          <>
            <State run={run} />
            <Agent name={run.agent} />
            {isOpen && (
              <button className="button" onClick={() => act.mutate({ what: 'cancel' })}>
                Cancel
              </button>
            )}
          </>
        )
      }
    >
      <Refused error={error ?? act.error} />
      {data && run && (
        <>
          <Section title="Asked">
            <Quoted>
              <Markdown text={data.prompt} />
            </Quoted>
          </Section>
          <p className="text-meta text-faint mt-2 flex flex-wrap gap-x-3">
            <code className="font-mono">{run.cwd}</code>
            {run.worktree && <span>branch {run.worktree.branch}</span>}
            {run.board_task !== undefined && (
              <button className="text-tide hover:underline" onClick={() => openTask(run.board_task)}>
                its task
              </button>
            )}
            <Moment at={run.created_at} />
          </p>
          <Section title="Output">
            <Output id={id} isOpen={isOpen} />
          </Section>
          {data.result !== null && (
            <Section title="Result">
              <Quoted>
                <Markdown text={data.result} />
              </Quoted>
            </Section>
          )}
          {run.error && (
            <Section title="What went wrong">
              <p className="text-amber">
                <Foreign text={run.error.text} />
              </p>
              {run.error.stderr && (
                <pre
                  className="bg-sunken mt-1 overflow-x-auto rounded-one p-2 font-mono text-[12px]"
                  tabIndex={0}
                >
                  <Foreign text={run.error.stderr} />
                </pre>
              )}
            </Section>
          )}
          {isOpen && (
            <form
              className="mt-4 flex gap-2"
              onSubmit={(event) => (
                event.preventDefault(),
                text.trim() !== '' &&
                  act.mutate(
                    { what: 'reply', body: { kind: 'answer', body: text } },
                    { onSuccess: () => setText('') },
                  )
              )}
            >
              <input
                className="field min-w-0 flex-1"
                aria-label="Say something to it"
                placeholder="Say something to it"
                value={text}
                onChange={({ target }) => setText(target.value)}
              />
              <button className="button">Send</button>
            </form>
          )}
        </>
      )}
      {!data && !error && <Skeleton />}
    </Drawer>
  );
}
