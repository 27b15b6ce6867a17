import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { FactDetail } from '../../../src/features/memory/fact.ts';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { Discard, Overtaken } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { useSetPlace } from '../frame/place.ts';
import { Diff } from '../parts/diff.tsx';
import { Drawer, Section } from '../parts/drawer.tsx';
import { Refused, Skeleton } from '../parts/empty.tsx';
import { Cut, Foreign, Quoted } from '../parts/foreign.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { Moment } from '../parts/time.tsx';
import { Standings } from './standing.tsx';
import { Verdict } from './verdict.tsx';

/** One fact: who said it, what it was before, and what can be done about it. */
export function FactDrawer({ id, onClose }: Readonly<{ id: string; onClose(): void }>): ReactNode {
  const { data: fact, error } = useQuery({
    queryKey: ['memory', 'fact', id],
    queryFn: () => ask('GET /api/memory/facts/:id', { id }),
  });
  const { data: history } = useQuery({
    queryKey: ['memory', 'history', id],
    queryFn: () => ask('GET /api/memory/facts/:id/history', { id }),
  });
  const [isWriting, setWriting] = useState(false);
  const draft = useDraft(`fact ${id}`, { base: fact?.content });
  const { text } = draft;
  const [isSure, setSure] = useState(false);
  const setPlace = useSetPlace();
  const stale = () => queryClient.invalidateQueries({ queryKey: ['memory'] });
  const supersede = useMutation({
    mutationFn: (content: string) => ask('POST /api/memory/facts/:id/supersede', { id, content }),
    onSuccess: ({ fact: made }) => (setWriting(false), draft.forget(), setPlace({ at: made.id }), stale()),
  });
  const forget = useMutation({
    mutationFn: () => ask('DELETE /api/memory/facts/:id?now', { id }),
    onSuccess: () => (onClose(), stale()),
  });
  const versions = history?.versions ?? [];
  const submit = (event: FormEvent) => (event.preventDefault(), text !== '' && supersede.mutate(text));
  return (
    <Drawer
      label="A fact"
      onClose={onClose}
      head={
        <h2 className="text-title truncate font-semibold">
          <Foreign text={fact?.title ?? ''} />
        </h2>
      }
    >
      <Refused error={error ?? supersede.error ?? forget.error} />
      {fact && (
        <>
          {!isWriting ? (
            <Quoted
              by={
                <>
                  <span className="text-ink font-medium">
                    <Foreign text={fact.author} />
                  </span>{' '}
                  {fact.authorAsserted && 'by its own word,'} from <Foreign text={fact.source} />{' '}
                  <Moment at={fact.createdAt} />
                </>
              }
            >
              <Cut text={fact.content}>{(shown) => <Markdown text={shown} />}</Cut>
            </Quoted>
          ) : (
            <form onSubmit={submit} className="flex flex-col gap-2">
              <textarea
                autoFocus
                className="field w-full"
                rows={8}
                aria-label="What holds instead"
                value={text}
                onChange={({ target }) => draft.set(target.value)}
              />
              <Overtaken draft={draft} what="The fact" />
              <div className="flex flex-wrap items-center justify-end gap-2">
                <Discard drafts={[draft]} onDiscard={() => setWriting(false)} />
                <button
                  type="button"
                  className="button"
                  onClick={() => setWriting(false)}
                  title="What you wrote stays"
                >
                  Cancel
                </button>
                <button className="button button-main" disabled={text.trim() === '' || text === fact.content}>
                  This holds instead
                </button>
              </div>
            </form>
          )}
          <p className="text-meta text-faint mt-2">
            {[
              ...fact.tags,
              ...(fact.scopeTeamId === null ? [] : [`for ${fact.scopeTeamId}`]),
              ...(fact.scopeAgentId === null ? [] : [`for ${fact.scopeAgentId} alone`]),
            ].join(' · ')}
            {fact.validTo !== null && <span className="text-amber"> no longer holds</span>}
            {fact.supersededBy !== null && (
              <button
                className="quiet"
                onClick={() => setPlace({ at: fact.supersededBy ?? undefined }, true)}
              >
                What holds instead
              </button>
            )}
          </p>
          <Standings {...fact} />
          {fact.refuted && (
            <p className="text-meta text-amber mt-1">
              Refuted by <Foreign text={fact.refuted.by} /> <Moment at={fact.refuted.at} />:{' '}
              <Foreign text={fact.refuted.reason} />
            </p>
          )}
          <Verdict key={id} id={id} isOpen={fact.validTo === null && !isWriting}>
            <button className="button" onClick={() => setWriting(true)}>
              {draft.isBegun ? 'Go on correcting it' : 'Correct it'}
            </button>
            {isSure ? (
              <button className="button" onClick={() => forget.mutate()}>
                Forget it for good: text, index and history
              </button>
            ) : (
              <button className="button" onClick={() => setSure(true)}>
                Forget…
              </button>
            )}
          </Verdict>
          <Versions versions={versions} at={id} />
        </>
      )}
      {!fact && !error && <Skeleton />}
    </Drawer>
  );
}

/** What each version became. Of several that were merged, each shows what the new one made of it. */
function Versions({ versions, at }: Readonly<{ versions: readonly FactDetail[]; at: string }>): ReactNode {
  const steps = versions.flatMap((version) => {
    const next = versions.find(({ id }) => id === version.supersededBy);
    return next ? [{ version, next }] : [];
  });
  if (steps.length === 0) return null;
  const merged = new Set(
    steps.map(({ next }) => next.id).filter((id, index, all) => all.indexOf(id) !== index),
  );
  return (
    <Section title="Earlier">
      <ol className="flex flex-col gap-3">
        {steps.toReversed().map(({ version, next }) => (
          <li key={version.id}>
            <p className="text-meta text-soft mb-1 flex flex-wrap gap-x-2">
              <span>
                {merged.has(next.id) ? 'merged by' : 'corrected by'} <Foreign text={next.author} />
              </span>
              <Moment at={next.validFrom} />
              {version.id === at && <span>this one</span>}
            </p>
            <Diff label="What changed" before={version.content} after={next.content} />
          </li>
        ))}
      </ol>
    </Section>
  );
}
