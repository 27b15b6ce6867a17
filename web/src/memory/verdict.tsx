import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { Discard } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { Refused } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';

/** What a person who knows says about a fact: that it holds, or that it is wrong, and why. */
export function Verdict({ id, isOpen }: Readonly<{ id: string; isOpen: boolean }>): ReactNode {
  const [isRefuting, setRefuting] = useState(false);
  const draft = useDraft(`refute ${id}`, {});
  const stale = () => queryClient.invalidateQueries({ queryKey: ['memory'] });
  const confirm = useMutation({
    mutationFn: () => ask('POST /api/memory/facts/:id/confirm', { id }),
    onSuccess: stale,
  });
  const refute = useMutation({
    mutationFn: (reason: string) => ask('POST /api/memory/facts/:id/refute', { id, reason }),
    onSuccess: () => (setRefuting(false), draft.forget(), stale()),
  });
  const submit = (event: FormEvent) => (
    event.preventDefault(),
    draft.text.trim() !== '' && refute.mutate(draft.text)
  );
  return (
    <>
      <Refused error={confirm.error ?? refute.error} />
      {!isOpen ? null : isRefuting ? (
        <form onSubmit={submit} className="mt-3 flex flex-col gap-2">
          <textarea
            autoFocus
            className="field w-full"
            rows={3}
            aria-label="Why it is wrong"
            placeholder="Why it is wrong; whoever was given it is told"
            value={draft.text}
            onChange={({ target }) => draft.set(target.value)}
          />
          <div className="flex flex-wrap items-center justify-end gap-2">
            <Discard drafts={[draft]} onDiscard={() => setRefuting(false)} />
            <button
              type="button"
              className="button"
              onClick={() => setRefuting(false)}
              title="What you wrote stays"
            >
              Leave
            </button>
            <button className="button button-main" disabled={draft.text.trim() === ''}>
              Refute it
            </button>
          </div>
        </form>
      ) : (
        <div className="mt-3 flex gap-2">
          <button className="button" onClick={() => confirm.mutate()} disabled={confirm.isPending}>
            It holds
          </button>
          <button className="button" onClick={() => setRefuting(true)}>
            {draft.isBegun ? 'Go on refuting it' : 'It is wrong…'}
          </button>
        </div>
      )}
      {refute.data && (
        <p className="text-meta text-soft mt-2">
          {refute.data.told === 1 ? 'One reader hears' : `${refute.data.told} readers hear`} of it.
          {refute.data.copies?.map(({ id: copy, scopeTeamId }) => (
            <span key={copy}>
              {' '}
              The same stands for <Foreign text={scopeTeamId ?? 'everybody'} />.
            </span>
          ))}
        </p>
      )}
    </>
  );
}
