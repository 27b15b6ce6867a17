import { useState, type FormEvent, type KeyboardEvent, type ReactNode } from 'react';
import type { Task } from '../../../src/features/board/task.ts';
import { Refused } from '../parts/empty.tsx';
import { useAddCheck, useEdit } from './queries.ts';

export function EditTask({ task, onClose }: Readonly<{ task: Task; onClose(): void }>): ReactNode {
  const [title, setTitle] = useState(task.title);
  const [description, setDescription] = useState(task.description ?? '');
  const [priority, setPriority] = useState(String(task.priority));
  const [check, setCheck] = useState('');
  const edit = useEdit(task.id);
  const addCheck = useAddCheck(task.id);

  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (title.trim() === '') return;
    // Only what was changed is sent: what somebody else changed meanwhile stays theirs.
    const changed = {
      ...(title !== task.title && { title }),
      ...(description !== (task.description ?? '') && {
        description: description === '' ? null : description,
      }),
      ...(Number(priority) !== task.priority && { priority: Number(priority) }),
    };
    if (check.trim() !== '') addCheck.mutate(check.trim());
    if (Object.keys(changed).length === 0) return onClose();
    edit.mutate(changed, { onSuccess: onClose });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit();
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
        value={title}
        maxLength={500}
        onChange={({ target }) => setTitle(target.value)}
      />
      <textarea
        className="field font-mono text-[12px]"
        aria-label="Description"
        rows={8}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <label className="text-meta text-soft flex items-center gap-2">
          Priority
          <input
            className="field w-16"
            inputMode="numeric"
            pattern="-?[0-9]{1,6}"
            value={priority}
            onChange={({ target }) => setPriority(target.value)}
          />
        </label>
        <input
          className="field min-w-40 flex-1"
          aria-label="A further check"
          placeholder="A further check, e.g. tests pass"
          value={check}
          onChange={({ target }) => setCheck(target.value)}
        />
      </div>
      <div className="flex justify-end gap-2">
        <button type="button" className="button" onClick={onClose}>
          Leave
        </button>
        <button className="button button-main">Save</button>
      </div>
      <Refused error={edit.error ?? addCheck.error} />
    </form>
  );
}
