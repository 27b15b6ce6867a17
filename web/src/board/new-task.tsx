import { useMutation } from '@tanstack/react-query';
import type { FormEvent, KeyboardEvent, ReactNode } from 'react';
import { useAgents, useTeams } from '../agents/queries.ts';
import { askAsOne } from '../api/call.ts';
import { useOnce } from '../api/once.ts';
import { Discard } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { Refused } from '../parts/empty.tsx';
import { PRIORITIES } from '../parts/priority.tsx';
import { onEscape } from '../parts/leave-key.ts';
import { isSendKey } from '../parts/send-key.ts';
import { STATUS_WORDS } from '../parts/status.tsx';
import { refreshCards } from './cards.ts';

/** What is written here stays until it is on the board or discarded, whatever one does meanwhile. */
export const NEW_TASK = 'new task ';

/** In the address: one is being written, perhaps for a column. */
export const NEW = 'new';

const STATUSES = ['todo', 'backlog'] as const;

type Wanted = Readonly<Record<Field, string>>;
const FIELDS = ['title', 'description', 'team', 'priority', 'labels', 'assignee', 'due', 'checks'] as const;
type Field = (typeof FIELDS)[number];

type Given = Wanted & Readonly<{ status: 'todo' | 'backlog' }>;

/**
 * One command: what is made here is taken back as one. Tried again because a part of it was refused or no answer came, it is the
 * same task.
 */
function useCreate() {
  const [asTask, asWhole] = [useOnce<Given>(), useOnce<Given>()];
  return useMutation({
    onSuccess: () => (asTask.sent(), asWhole.sent()),
    mutationFn: async (wanted: Given) => {
      const ask = askAsOne();
      const { title, description, team, priority, due, status } = wanted;
      const { idempotencyKey } = asTask.of(wanted, { title, description, team, priority, due, status });
      const { idempotencyKey: whole } = asWhole.of(wanted);
      const once = (step: string) => ({ idempotencyKey: `${whole} ${step}` });
      const { id } = await ask('POST /api/board/tasks', {
        title: title.trim(),
        status,
        ...(description !== '' && { description }),
        ...(team !== '' && { teamId: team }),
        ...(priority !== '' && { priority: Number(priority) }),
        ...(due !== '' && { due }),
        idempotencyKey,
      });
      const labels = wanted.labels.split(/[\s,]+/).filter((label) => label !== '');
      if (labels.length > 0)
        await ask('PATCH /api/board/tasks/:taskId/labels', { taskId: id, add: labels, ...once('labels') });
      const checks = wanted.checks.split('\n').map((line) => line.trim());
      for (const [at, check] of checks.entries())
        if (check !== '')
          await ask('POST /api/board/tasks/:taskId/checks', {
            taskId: id,
            title: check,
            ...once(`check ${at}`),
          });
      const assigneeAgentId = wanted.assignee.trim();
      if (assigneeAgentId !== '')
        await ask('POST /api/board/tasks/:taskId/assign', { taskId: id, assigneeAgentId, ...once('assign') });
      await refreshCards([id]);
      return id;
    },
  });
}

/** In the page, not over it: one can look at the board while writing. */
export function NewTask({
  project,
  status: asked,
  onClose,
  onMade,
}: Readonly<{
  project: string | undefined;
  status: string | undefined;
  onClose(): void;
  onMade(id: string): void;
}>): ReactNode {
  const drafts = {
    title: useDraft(`${NEW_TASK}title`),
    description: useDraft(`${NEW_TASK}description`),
    team: useDraft(`${NEW_TASK}team`, { base: project ?? '', version: '' }),
    priority: useDraft(`${NEW_TASK}priority`),
    labels: useDraft(`${NEW_TASK}labels`),
    assignee: useDraft(`${NEW_TASK}assignee`),
    due: useDraft(`${NEW_TASK}due`),
    checks: useDraft(`${NEW_TASK}checks`),
  };
  const all = Object.values(drafts);
  const wanted = Object.fromEntries(FIELDS.map((field) => [field, drafts[field].text])) as Wanted;
  const status = STATUSES.find((each) => each === asked) ?? 'todo';
  const create = useCreate();
  const teams = useTeams();
  const agents = useAgents(undefined);
  const given = (field: Field) => ({
    value: drafts[field].text,
    onChange: ({ target }: { target: { value: string } }) => drafts[field].set(target.value),
  });

  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (wanted.title.trim() === '' || create.isPending) return;
    create.mutate(
      { ...wanted, status },
      { onSuccess: (id) => (all.forEach(({ forget }) => forget()), onMade(id)) },
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isSendKey(event)) submit();
    onEscape(onClose)(event);
  };

  return (
    <form
      onSubmit={submit}
      onKeyDown={onKeyDown}
      aria-label="New task"
      className="arrives border-edge bg-raised mx-4 mb-3 flex max-w-[860px] shrink-0 flex-col gap-2 rounded-one border p-3"
    >
      <input
        autoFocus
        className="placeholder:text-faint text-title w-full bg-transparent font-medium outline-none"
        aria-label="Title"
        placeholder="What is to be done?"
        maxLength={500}
        {...given('title')}
      />
      <textarea
        className="placeholder:text-faint w-full resize-y bg-transparent outline-none"
        aria-label="Description"
        rows={2}
        placeholder="Context, constraints, how to tell that it is finished. Markdown."
        {...given('description')}
      />
      <div className="flex flex-wrap items-center gap-2">
        <select className="field" aria-label="Project" {...given('team')}>
          <option value="">No project</option>
          {teams.map(({ teamId, name }) => (
            <option key={teamId} value={teamId}>
              {name}
            </option>
          ))}
        </select>
        <select className="field" aria-label="Priority" {...given('priority')}>
          {PRIORITIES.toReversed().map(([value, word]) => (
            <option key={value} value={value === 0 ? '' : value}>
              {word}
            </option>
          ))}
        </select>
        <input
          className="field w-36"
          aria-label="Assignee"
          placeholder="Assignee"
          list="new-task-agents"
          {...given('assignee')}
        />
        <datalist id="new-task-agents">
          {[...new Set(agents.map(({ name }) => name))].map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <label className="text-meta text-soft flex items-center gap-1.5">
          Due
          <input type="date" className="field" {...given('due')} />
        </label>
        <input className="field w-40" aria-label="Labels" placeholder="Labels" {...given('labels')} />
        <textarea
          className="field min-w-48 flex-1 resize-y"
          aria-label="Checks"
          rows={1}
          placeholder="Checks, one a line: tests pass"
          {...given('checks')}
        />
      </div>
      <div className="flex flex-wrap items-center justify-end gap-2">
        <span className="text-meta text-faint mr-auto">Goes to {STATUS_WORDS[status]}</span>
        <Discard drafts={all} onDiscard={onClose} />
        <button type="button" className="button" onClick={onClose} title="What you wrote stays">
          Cancel
        </button>
        <button
          className="button button-main"
          disabled={wanted.title.trim() === '' || create.isPending}
          title="Ctrl Enter"
        >
          Create
        </button>
      </div>
      <Refused error={create.error} />
    </form>
  );
}
