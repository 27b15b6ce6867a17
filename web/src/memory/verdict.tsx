import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { Discard } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { Refused } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';

/** What a person who knows says about a fact: that it holds, or that it is wrong, and why. */
export function Verdict({
  id,
  isOpen,
  children,
}: Readonly<{ id: string; isOpen: boolean; children: ReactNode }>): ReactNode {
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
  /** The same elsewhere, for the same reason. */
  const refuteCopy = useMutation({
    mutationFn: (copy: string) =>
      ask('POST /api/memory/facts/:id/refute', { id: copy, reason: refute.variables ?? '' }),
    onSuccess: (_, copy) => (setEnded((ended) => [...ended, copy]), stale()),
  });
  const [ended, setEnded] = useState<readonly string[]>([]);
  const submit = (event: FormEvent) => (
    event.preventDefault(),
    draft.text.trim() !== '' && refute.mutate(draft.text)
  );
  return (
    <>
      <Refused error={confirm.error ?? refute.error ?? refuteCopy.error} />
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
              Cancel
            </button>
            <button className="button button-main" disabled={draft.text.trim() === ''}>
              Refute it
            </button>
          </div>
        </form>
      ) : (
        <div className="mt-3 flex flex-wrap gap-2">
          <button className="button" onClick={() => confirm.mutate()} disabled={confirm.isPending}>
            It holds
          </button>
          <button className="button" onClick={() => setRefuting(true)}>
            {draft.isBegun ? 'Go on refuting it' : 'It is wrong…'}
          </button>
          {children}
        </div>
      )}
      {refute.data && (
        <div className="text-meta text-soft mt-2 flex flex-col gap-1">
          <p>{refute.data.told === 1 ? 'One reader hears' : `${refute.data.told} readers hear`} of it.</p>
          {refute.data.copies
            ?.filter(({ id: copy }) => !ended.includes(copy))
            .map(({ id: copy, scopeTeamId }) => (
              <p key={copy} className="flex flex-wrap items-center gap-2">
                <span>
                  The same stands for <Foreign text={scopeTeamId ?? 'everybody'} />.
                </span>
                <button
                  className="button"
                  disabled={refuteCopy.isPending}
                  onClick={() => refuteCopy.mutate(copy)}
                >
                  Refute it there, too
                </button>
              </p>
            ))}
        </div>
      )}
    </>
  );
}
