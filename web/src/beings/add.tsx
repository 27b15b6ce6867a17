import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useDraft } from '../drafts/use-draft.ts';
import { Command, Refused } from '../parts/empty.tsx';

/** A name is enough; the token that speaks for it is shown here, once. */
export function AddBeing({ onClose }: Readonly<{ onClose(): void }>): ReactNode {
  const name = useDraft('being name');
  const add = useMutation({
    mutationFn: () => ask('POST /v1/beings', { name: name.text.trim() }),
    onSuccess: () => (name.forget(), queryClient.invalidateQueries({ queryKey: ['beings'] })),
  });
  const submit = (event: FormEvent) => (event.preventDefault(), add.mutate());
  if (add.data)
    return (
      <div className="border-line flex flex-col items-start gap-2 border-b px-4 py-3">
        <p>
          {add.data.being.name} is here. This token speaks for it with full scope; it is shown now and never
          again.
        </p>
        <Command text={add.data.token} />
        <button className="button" onClick={onClose}>
          Done
        </button>
      </div>
    );
  return (
    <form
      aria-label="New Being"
      onSubmit={submit}
      onKeyDown={({ key }) => key === 'Escape' && onClose()}
      className="border-line flex flex-wrap items-center gap-2 border-b px-4 py-3"
    >
      <input
        autoFocus
        className="field w-64"
        aria-label="Name of the Being"
        placeholder="Name, such as Ada"
        value={name.text}
        onChange={({ target }) => name.set(target.value)}
      />
      <button className="button button-main" disabled={name.text.trim() === '' || add.isPending}>
        Create
      </button>
      <button type="button" className="button" onClick={onClose}>
        Cancel
      </button>
      <Refused error={add.error} />
    </form>
  );
}
