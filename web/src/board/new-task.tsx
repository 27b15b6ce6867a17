import type { FormEvent, KeyboardEvent, ReactNode } from 'react';
import { useTeams } from '../agents/queries.ts';
import { Discard } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { Refused } from '../parts/empty.tsx';
import { useCreate } from './queries.ts';

/** What is written here stays until it is on the board or discarded, whatever one does meanwhile. */
export const NEW_TASK = 'new task ';

/** In the page, not over it: one can look at the board while writing. */
export function NewTask({
  project,
  onClose,
  onMade,
}: Readonly<{ project: string | undefined; onClose(): void; onMade(id: string): void }>): ReactNode {
  const drafts = {
    title: useDraft(`${NEW_TASK}title`),
    description: useDraft(`${NEW_TASK}description`),
    team: useDraft(`${NEW_TASK}team`, { base: project ?? '', version: '' }),
    priority: useDraft(`${NEW_TASK}priority`),
  };
  const all = Object.values(drafts);
  const [title, description, team, priority] = all.map(({ text }) => text) as [
    string,
    string,
    string,
    string,
  ];
  const create = useCreate();
  const teams = useTeams();

  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (title.trim() === '' || create.isPending) return;
    create.mutate(
      {
        title: title.trim(),
        ...(description !== '' && { description }),
        ...(team !== '' && { teamId: team }),
        ...(priority !== '' && { priority: Number(priority) }),
      },
      { onSuccess: ({ id }) => (all.forEach(({ forget }) => forget()), onMade(id)) },
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose();
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit();
  };

  return (
    <form
      onSubmit={submit}
      onKeyDown={onKeyDown}
      aria-label="New task"
      className="arrives border-line bg-sunken mx-3 mb-2 flex flex-col gap-2 rounded-one border p-3"
    >
      <input
        autoFocus
        className="field text-title"
        aria-label="Title"
        placeholder="What is to be done?"
        value={title}
        onChange={({ target }) => drafts.title.set(target.value)}
        maxLength={500}
      />
      <textarea
        className="field"
        aria-label="Description"
        rows={3}
        placeholder="Context, constraints, how to tell that it is finished. Markdown."
        value={description}
        onChange={({ target }) => drafts.description.set(target.value)}
      />
      <div className="flex flex-wrap items-center gap-2">
        <select
          className="field"
          aria-label="Project"
          value={team}
          onChange={({ target }) => drafts.team.set(target.value)}
        >
          <option value="">No project</option>
          {teams.map(({ teamId, name }) => (
            <option key={teamId} value={teamId}>
              {name}
            </option>
          ))}
        </select>
        <input
          className="field w-28"
          aria-label="Priority"
          inputMode="numeric"
          pattern="-?[0-9]{1,6}"
          placeholder="Priority 0"
          value={priority}
          onChange={({ target }) => drafts.priority.set(target.value)}
        />
        <span className="ml-auto flex flex-wrap items-center gap-2">
          <Discard drafts={all} onDiscard={onClose} />
          <button type="button" className="button" onClick={onClose} title="What you wrote stays">
            Leave
          </button>
          <button className="button button-main" disabled={title.trim() === '' || create.isPending}>
            Put on the board
          </button>
        </span>
      </div>
      <Refused error={create.error} />
    </form>
  );
}
