import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useDraft } from '../drafts/use-draft.ts';
import { Command } from '../parts/empty.tsx';
import { NameForm } from '../parts/name-form.tsx';

/** A name is enough; the token that speaks for it is shown here, once. */
export function AddBeing({ onClose }: Readonly<{ onClose(): void }>): ReactNode {
  const name = useDraft('being name');
  const add = useMutation({
    mutationFn: () => ask('POST /v1/beings', { name: name.text.trim() }),
    onSuccess: () => (name.forget(), queryClient.invalidateQueries({ queryKey: ['beings'] })),
  });
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
    <NameForm
      label="New Being"
      field="Name of the Being"
      placeholder="Name, such as Ada"
      verb="Create"
      name={name}
      make={add}
      onMake={() => add.mutate()}
      onClose={onClose}
    />
  );
}
