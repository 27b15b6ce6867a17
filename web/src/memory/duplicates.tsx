import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { Fact } from '../../../src/features/memory/fact.ts';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { Discard } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { Empty, Refused } from '../parts/empty.tsx';
import { Foreign, Quoted } from '../parts/foreign.tsx';
import { Moment } from '../parts/time.tsx';
import { Unready } from '../parts/unready.tsx';
import { useScope } from './scope.ts';

/** Facts that say nearly the same, to be made one by a person. */
export function Duplicates(): ReactNode {
  const scope = useScope();
  const { data, error } = useQuery({
    queryKey: ['memory', 'duplicates', scope],
    queryFn: () => ask('GET /api/memory/duplicates', scope),
  });
  if (!data) return <Unready error={error} />;
  if (data.groups.length === 0)
    return (
      <Empty title="Nothing is said twice">
        Of the newest {data.compared.toLocaleString()} facts no two say nearly the same. Those that do are
        listed here, to be merged; what was merged stays readable as earlier versions.
      </Empty>
    );
  return (
    <ol>
      {data.groups.map((group) => (
        <Group key={group.map(({ id }) => id).join()} facts={group} />
      ))}
    </ol>
  );
}

function Group({ facts }: Readonly<{ facts: readonly Fact[] }>): ReactNode {
  const [kept, setKept] = useState(facts[0]!.id);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const main = facts.find(({ id }) => id === kept)!;
  const draft = useDraft(`merge ${kept}`, { base: main.content });
  const others = facts.filter(({ id }) => id !== kept && !left.has(id));
  const merge = useMutation({
    mutationFn: () =>
      ask('POST /api/memory/facts/:id/merge', {
        id: kept,
        with: others.map(({ id }) => id),
        content: draft.text,
        tags: [...new Set([main, ...others].flatMap(({ tags }) => tags))].slice(0, 50),
      }),
    onSuccess: () => (draft.forget(), queryClient.invalidateQueries({ queryKey: ['memory'] })),
  });
  const submit = (event: FormEvent) => (event.preventDefault(), merge.mutate());
  const toggle = (id: string) =>
    setLeft((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  return (
    <li className="border-line border-b px-4 py-3">
      <form onSubmit={submit} className="grid max-w-5xl gap-x-8 gap-y-2 lg:grid-cols-2">
        <fieldset className="flex min-w-0 flex-col gap-2">
          <legend className="section-title mb-1">
            {facts.length} say nearly the same; whose place is kept
          </legend>
          {facts.map((fact) => (
            <div key={fact.id} className={`flex gap-2 ${left.has(fact.id) ? 'opacity-60' : ''}`}>
              <input
                type="radio"
                name={`kept-${facts[0]!.id}`}
                className="accent-tide mt-1 size-4 shrink-0"
                aria-label={`Keep ${fact.title}`}
                checked={fact.id === kept}
                onChange={() => setKept(fact.id)}
              />
              <div className="min-w-0 flex-1">
                <Quoted
                  by={
                    <>
                      <span className="text-ink font-medium">
                        <Foreign text={fact.title} />
                      </span>
                      <Moment at={fact.createdAt} />
                      {fact.id !== kept && (
                        <button type="button" className="quiet min-h-5" onClick={() => toggle(fact.id)}>
                          {left.has(fact.id) ? 'Merge it, too' : 'Leave it out'}
                        </button>
                      )}
                    </>
                  }
                >
                  <p className="line-clamp-4 break-words" dir="auto">
                    <Foreign text={fact.content.slice(0, 600)} />
                  </p>
                </Quoted>
              </div>
            </div>
          ))}
        </fieldset>
        <div className="flex min-w-0 flex-col gap-2">
          <label className="section-title" htmlFor={`text-${facts[0]!.id}`}>
            What holds from now on
          </label>
          <textarea
            id={`text-${facts[0]!.id}`}
            className="field w-full"
            rows={5}
            value={draft.text}
            onChange={({ target }) => draft.set(target.value)}
          />
          <Refused error={merge.error} />
          <div className="flex flex-wrap items-center justify-end gap-2">
            <Discard drafts={[draft]} />
            <button
              className="button button-main"
              disabled={others.length === 0 || draft.text.trim() === '' || merge.isPending}
            >
              Merge {others.length + 1} into one
            </button>
          </div>
        </div>
      </form>
    </li>
  );
}
