import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useFolders } from '../agents/folders.ts';
import { Discard } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { useHub } from '../frame/hub.ts';
import { Agent } from '../parts/agent.tsx';
import { Section } from '../parts/drawer.tsx';
import { Command, Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { isSendKey } from '../parts/send-key.ts';
import { Moment } from '../parts/time.tsx';
import { useCallable, useMayRun, useRunsOf, useStart, type Run } from './queries.ts';
import { RunState } from './state.tsx';

/** What is written for a run that has no task yet. */
const NEW_RUN = 'new run ';

/** The runs that did this task or do it now, what they changed, and having it done by another one. */
export function TaskRuns({
  taskId,
  teamId,
  isOver,
}: Readonly<{ taskId: string; teamId: string | null; isOver: boolean }>): ReactNode {
  const { data: hub } = useHub();
  const mayRun = useMayRun();
  const { data, error } = useRunsOf(taskId);
  const [isStarting, setStarting] = useState(false);
  const runs = data?.tasks ?? [];
  if (!hub?.rooms.includes('dispatch') || (isOver && runs.length === 0)) return null;
  return (
    <Section
      title="Runs"
      aside={
        !isOver &&
        !isStarting && (
          <button className="quiet" onClick={() => setStarting(true)}>
            <Icon name="runs" size={12} />
            Start a run…
          </button>
        )
      }
    >
      <Refused error={error} />
      {isStarting &&
        (mayRun ? (
          <StartRun taskId={taskId} teamId={teamId} onClose={() => setStarting(false)} />
        ) : (
          <div className="text-soft">
            Starting a run needs you to sign in; this opens the page with a link that does.
            <Command text="holdfast open" />
          </div>
        ))}
      <ul>
        {runs.map((run) => (
          <RunOfTask key={run.task_id} run={run} />
        ))}
      </ul>
    </Section>
  );
}

function RunOfTask({ run }: Readonly<{ run: Run }>): ReactNode {
  return (
    <li>
      <div className="row flex-wrap">
        <Link
          to="/runs/$runId"
          params={{ runId: run.task_id }}
          className="flex min-w-0 items-center gap-2 underline-offset-2 hover:underline"
        >
          <RunState run={run} />
          <Agent name={run.instance} />
        </Link>
        {run.worktree && (
          <Link to="/review/$reviewId" params={{ reviewId: run.task_id }} className="quiet">
            <Icon name="eye" size={12} />
            Review
          </Link>
        )}
        <span className="ml-auto">
          <Moment at={run.created_at} />
        </span>
      </div>
      {run.worktree && <p className="text-meta text-faint truncate pl-5 font-mono">{run.worktree.branch}</p>}
    </li>
  );
}

/** Of a task, or of words from which a task is made first. */
export function StartRun({
  taskId,
  teamId,
  onClose,
}: Readonly<{ taskId?: string; teamId: string | null; onClose(): void }>): ReactNode {
  const { data, error } = useCallable(true);
  const folders = useFolders(teamId);
  const [chosen, setChosen] = useState<string | undefined>();
  const start = useStart();
  const navigate = useNavigate();
  const agents = data?.agents.toSorted((a, b) => Number(b.callable) - Number(a.callable)) ?? [];
  const instance = chosen ?? agents.find(({ callable }) => callable)?.instance;
  const key = taskId === undefined ? NEW_RUN : `task ${taskId} `;
  const words = useDraft(`${NEW_RUN}words`);
  const folder = useDraft(`${key}folder`, {
    base: folders.find(({ isOwn }) => isOwn)?.path ?? '',
    version: '',
  });
  const canStart = instance !== undefined && (taskId !== undefined || words.text.trim() !== '');
  const submit = () => {
    if (!canStart || start.isPending) return;
    const project = folder.text.trim();
    start.mutate(
      { taskId, words: words.text, teamId, instance, ...(project !== '' && { project }) },
      {
        onSuccess: ({ task }) => {
          folder.forget();
          if (taskId === undefined) words.forget();
          if (task) void navigate({ to: '/runs/$runId', params: { runId: task.task_id } });
        },
      },
    );
  };
  return (
    <form
      aria-label="Start a run"
      className="arrives bg-sunken border-line mb-2 flex flex-col gap-2 rounded-one border p-3"
      onSubmit={(event) => (event.preventDefault(), submit())}
      onKeyDown={(event) => {
        if (isSendKey(event)) submit();
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      {taskId === undefined && (
        <textarea
          autoFocus
          rows={3}
          className="field w-full resize-y"
          aria-label="What is to be done?"
          placeholder="What is to be done? The first line becomes the title of its task."
          value={words.text}
          onChange={({ target }) => words.set(target.value)}
        />
      )}
      <Refused error={error} />
      {!data && !error && <Skeleton rows={3} />}
      <fieldset className="flex min-w-0 flex-col gap-0.5">
        <legend className="text-soft mb-1">By which agent?</legend>
        {agents.map((agent) => (
          <label
            key={agent.instance}
            className={`flex min-h-7 min-w-0 items-center gap-2 rounded px-1 ${agent.callable ? 'hover:bg-raised' : 'text-faint'}`}
          >
            <input
              type="radio"
              name="instance"
              value={agent.instance}
              disabled={!agent.callable}
              checked={agent.instance === instance}
              onChange={() => setChosen(agent.instance)}
            />
            <span className="shrink-0 font-medium">{agent.instance}</span>
            <span className="text-meta text-faint min-w-0 truncate" title={agent.reason}>
              {agent.callable ? `${agent.family}, ${MODES[agent.mode]}` : <Foreign text={whyNot(agent)} />}
            </span>
          </label>
        ))}
        {data && agents.length === 0 && (
          <p className="text-soft">
            No agent is known. Install one, or name one under agents: in config.yaml.
          </p>
        )}
      </fieldset>
      <label className="flex flex-wrap items-center gap-2">
        <span className="text-soft">In a worktree of</span>
        <input
          className="field min-w-0 flex-1 font-mono text-[12px]"
          list="folders"
          placeholder="no worktree: in its own folder"
          spellCheck={false}
          value={folder.text}
          onChange={({ target }) => folder.set(target.value)}
        />
        <datalist id="folders">
          {folders.map(({ path, name }) => (
            <option key={path} value={path}>
              {name}
            </option>
          ))}
        </datalist>
      </label>
      <div className="flex flex-wrap justify-end gap-2">
        {taskId === undefined && <Discard drafts={[words, folder]} onDiscard={onClose} />}
        <button type="button" className="button" onClick={onClose} title="What you wrote stays">
          Cancel
        </button>
        <button className="button button-main" disabled={!canStart || start.isPending} title="Ctrl Enter">
          Start the run
        </button>
      </div>
      <Refused error={start.error} />
    </form>
  );
}

const MODES = {
  safe: 'asks before it changes anything',
  edit: 'edits files unasked',
  full: 'asks for nothing',
};

function whyNot({ reason, status }: Readonly<{ reason?: string | undefined; status: string }>): string {
  return (
    reason ?? (status === 'binary-missing' ? 'its program is not installed' : 'switched off in config.yaml')
  );
}
