import type { FormEvent, KeyboardEvent, ReactNode } from 'react';
import type { Task } from '../../../src/features/board/task.ts';
import { Discard, Overtaken } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { Refused } from '../parts/empty.tsx';
import { isSendKey } from '../parts/send-key.ts';
import { useAddCheck, useEdit } from './queries.ts';

/** Under which everything that is being written about a task is kept. */
export const editing = (id: string) => `task ${id} edit `;

export function EditTask({ task, onClose }: Readonly<{ task: Task; onClose(): void }>): ReactNode {
  const drafts = {
    title: useDraft(`${editing(task.id)}title`, { base: task.title }),
    description: useDraft(`${editing(task.id)}description`, { base: task.description ?? '' }),
    priority: useDraft(`${editing(task.id)}priority`, { base: String(task.priority) }),
    check: useDraft(`${editing(task.id)}check`),
  };
  const { title, description, priority, check } = drafts;
  const all = Object.values(drafts);
  const edit = useEdit(task.id);
  const addCheck = useAddCheck(task.id);

  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (title.text.trim() === '' || edit.isPending || addCheck.isPending) return;
    // Only what was changed is sent: what somebody else changed meanwhile stays theirs.
    const changed = {
      ...(title.isBegun && { title: title.text }),
      ...(description.isBegun && { description: description.text === '' ? null : description.text }),
      ...(priority.isBegun && { priority: Number(priority.text) }),
    };
    if (check.text.trim() !== '') addCheck.mutate(check.text.trim(), { onSuccess: check.forget });
    if (Object.keys(changed).length === 0) return onClose();
    const onSuccess = () => ([title, description, priority].forEach(({ forget }) => forget()), onClose());
    edit.mutate(changed, { onSuccess });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isSendKey(event)) submit();
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    onClose();
  };

  return (
    <form onSubmit={submit} onKeyDown={onKeyDown} aria-label="Edit the task" className="flex flex-col gap-2">
      <input
        autoFocus
        className="field text-title"
        aria-label="Title"
        value={title.text}
        maxLength={500}
        onChange={({ target }) => title.set(target.value)}
      />
      <Overtaken draft={title} what="The title" />
      <textarea
        className="field font-mono text-[12px]"
        aria-label="Description"
        rows={8}
        value={description.text}
        onChange={({ target }) => description.set(target.value)}
      />
      <Overtaken draft={description} what="The description" />
      <div className="flex flex-wrap gap-2">
        <label className="text-meta text-soft flex items-center gap-2">
          Priority
          <input
            className="field w-16"
            inputMode="numeric"
            pattern="-?[0-9]{1,6}"
            value={priority.text}
            onChange={({ target }) => priority.set(target.value)}
          />
        </label>
        <input
          className="field min-w-40 flex-1"
          aria-label="A further check"
          placeholder="A further check, e.g. tests pass"
          value={check.text}
          onChange={({ target }) => check.set(target.value)}
        />
      </div>
      <div className="flex flex-wrap items-center justify-end gap-2">
        <Discard drafts={all} onDiscard={onClose} />
        <button type="button" className="button" onClick={onClose} title="What you wrote stays">
          Cancel
        </button>
        <button className="button button-main">Save</button>
      </div>
      <Refused error={edit.error ?? addCheck.error} />
    </form>
  );
}
