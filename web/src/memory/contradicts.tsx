import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Api } from '../../../src/features/api.ts';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { Refused } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';

export type Saved = Api['POST /api/memory']['answer'];

type ContradictsProps = Readonly<{
  fact: NonNullable<Saved['fact']>;
  against: NonNullable<Saved['contradictions']>;
  /** Of the fact that is left, if it is the one just saved. */
  onDone(isKept: boolean): void;
}>;

/** What was just saved, and what it stands against: a person says which of them holds, or that both do. */
export function Contradicts({ fact, against, onDone }: ContradictsProps): ReactNode {
  const [ended, setEnded] = useState<readonly string[]>([]);
  const stale = () => queryClient.invalidateQueries({ queryKey: ['memory'] });
  // The same words in the same scope are the same fact: it takes the place of the other.
  const { content, title, tags } = fact;
  const replace = useMutation({
    mutationFn: (id: string) =>
      ask('POST /api/memory/facts/:id/supersede', { id, content, title, tags: [...tags] }),
    onSuccess: (_, id) => (setEnded((before) => [...before, id]), void stale()),
  });
  const discard = useMutation({
    mutationFn: () => ask('DELETE /api/memory/facts/:id?now', { id: fact.id }),
    onSuccess: () => (void stale(), onDone(false)),
  });
  const isBusy = replace.isPending || discard.isPending;
  return (
    <section
      aria-label="It contradicts what holds"
      className="arrives border-edge bg-raised mx-4 my-3 flex max-w-[860px] flex-col gap-2 rounded-one border p-3"
    >
      <p className="font-medium">Saved. It does not go together with what holds already:</p>
      <ul className="flex flex-col gap-2">
        {against.map(({ id, title: other, mine, theirs, why }) => (
          <li key={id} className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
            <span className="min-w-0 flex-1 break-words" dir="auto">
              <span className="font-medium">
                <Foreign text={other} />
              </span>{' '}
              <span className="text-soft">
                says “<Foreign text={theirs} />
                ”, this says “<Foreign text={mine} />
                ”: {why}.
              </span>
            </span>
            {ended.includes(id) ? (
              <span className="text-meta text-kelp">replaced</span>
            ) : (
              <button className="button" disabled={isBusy} onClick={() => replace.mutate(id)}>
                Replace that one
              </button>
            )}
          </li>
        ))}
      </ul>
      <Refused error={replace.error ?? discard.error} />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <button
          className="button"
          disabled={isBusy || ended.length > 0}
          onClick={() => discard.mutate()}
          title="It can be taken back for a day"
        >
          Discard this one
        </button>
        <button autoFocus className="button button-main" disabled={isBusy} onClick={() => onDone(true)}>
          {ended.length === 0 ? 'Keep both' : 'Done'}
        </button>
      </div>
    </section>
  );
}
