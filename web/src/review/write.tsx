import type { ReactNode } from 'react';
import { Discard } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { Refused } from '../parts/empty.tsx';
import { useRemark, type Review } from './queries.ts';
import { aboutOf, draftKey, type Range } from './remarks.ts';

type WriteProps = Readonly<{ review: Review; range: Range; onLeave(): void; isFocused: boolean }>;

/** What is typed is kept as it is typed; leaving it throws nothing away. */
export function Write({ review, range, onLeave, isFocused }: WriteProps): ReactNode {
  const key = draftKey(review.id, range);
  const draft = useDraft(key);
  const instead = useDraft(`review suggestion ${key}`);
  const remark = useRemark(review);
  const { from, to, quoted } = range;
  const isSuggesting = instead.isBegun || draft.about?.['suggests'] === 'yes';
  const canSend = draft.text.trim() !== '' || instead.isBegun;
  const send = () =>
    canSend &&
    remark.mutate(
      {
        path: range.path,
        side: range.side,
        fromLine: from,
        toLine: to,
        quoted,
        body: draft.text.trim(),
        ...(isSuggesting && instead.isBegun && { suggestion: instead.text }),
      },
      { onSuccess: () => (draft.forget(), instead.forget(), onLeave()) },
    );
  return (
    <form
      aria-label={from === to ? `Comment on line ${to}` : `Comment on lines ${from} to ${to}`}
      className="border-tide bg-raised my-1.5 flex max-w-[84ch] flex-col gap-2 rounded-one border p-2.5 font-sans"
      onSubmit={(event) => (event.preventDefault(), send())}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) send();
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onLeave();
      }}
    >
      <textarea
        autoFocus={isFocused}
        rows={2}
        className="field w-full"
        aria-label="Comment on this line"
        placeholder={
          from === to ? `Say something about line ${to}` : `Say something about lines ${from} to ${to}`
        }
        value={draft.text}
        onChange={({ target }) => draft.set(target.value, { ...aboutOf(range), ...draft.about })}
      />
      {isSuggesting && (
        <label className="text-meta text-soft flex flex-col gap-1">
          Instead of {from === to ? 'this line' : 'these lines'}
          <textarea
            rows={Math.min(12, Math.max(2, quoted.split('\n').length + 1))}
            className="field text-ink w-full font-mono text-[12px] leading-[18px]"
            value={instead.isBegun ? instead.text : quoted}
            onChange={({ target }) => instead.set(target.value)}
          />
        </label>
      )}
      <Refused error={remark.error} />
      <div className="flex flex-wrap items-center justify-end gap-2">
        {!isSuggesting && range.side === 'after' && (
          <button
            type="button"
            className="quiet mr-auto"
            onClick={() =>
              draft.set(draft.text === '' ? ' ' : draft.text, { ...aboutOf(range), suggests: 'yes' })
            }
          >
            Suggest a change
          </button>
        )}
        <Discard drafts={[draft, instead]} onDiscard={onLeave} />
        <button type="button" className="button" onClick={onLeave}>
          Cancel
        </button>
        <button className="button button-main" disabled={!canSend || remark.isPending}>
          Comment
        </button>
      </div>
    </form>
  );
}
