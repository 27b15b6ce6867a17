import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Discard } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { Refused } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { isSendKey } from '../parts/send-key.ts';
import { placeOf } from '../why/place.ts';
import { useRemark, type Review } from './queries.ts';
import { aboutOf, draftKey, type Range } from './remarks.ts';

type WriteProps = Readonly<{
  review: Review;
  range: Range;
  onLeave(): void;
  isFocused: boolean;
  /** The number that is pressed next is the other end of it: what Shift is where there are keys. */
  isReaching?: boolean;
  onReach?(isReaching: boolean): void;
}>;

/** What is typed is kept as it is typed; leaving it throws nothing away. */
export function Write({
  review,
  range,
  onLeave,
  isFocused,
  isReaching = false,
  onReach,
}: WriteProps): ReactNode {
  const key = draftKey(review.id, range);
  const draft = useDraft(key);
  const { from, to, quoted } = range;
  // Nothing at all is a suggestion as well: that the lines go.
  const instead = useDraft(`review suggestion ${key}`, { base: quoted });
  const remark = useRemark(review);
  const isSuggesting = instead.isBegun || draft.about?.['suggests'] === 'yes';
  const canSend = draft.text.trim() !== '' || instead.isBegun;
  const send = () =>
    canSend &&
    !remark.isPending &&
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
        if (isSendKey(event)) send();
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
            value={instead.text}
            onChange={({ target }) => instead.set(target.value)}
          />
        </label>
      )}
      <Refused error={remark.error} />
      {isReaching && (
        <p role="status" className="text-soft">
          Press the number of the line that it reaches to.
        </p>
      )}
      <div className="flex flex-wrap items-center justify-end gap-2">
        {review.folder !== null && range.side === 'after' && (
          <Link
            to="/why"
            search={{ q: placeOf({ file: `${review.folder}/${range.path}`, line: from }) }}
            className="quiet"
          >
            Why is it so?
          </Link>
        )}
        {!isSuggesting && onReach && (
          <button
            type="button"
            className="quiet"
            aria-pressed={isReaching}
            onClick={() => onReach(!isReaching)}
          >
            To another line
          </button>
        )}
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

/** What was begun about lines that do not stand here any more: it is not lost, and can be sent as it was meant. */
export function WrittenElsewhere({
  review,
  writing,
  onLeave,
}: Readonly<{ review: Review; writing: readonly Range[]; onLeave(): void }>): ReactNode {
  return writing.map((range) => (
    <div key={`${range.path} ${range.side} ${range.from}-${range.to}`}>
      <p className="text-meta text-soft mt-1.5">
        Begun on {range.from === range.to ? `line ${range.to}` : `lines ${range.from} to ${range.to}`} of{' '}
        <code className="font-mono break-all">
          <Foreign text={range.path} />
        </code>
        , where these words do not stand any more:{' '}
        <code className="font-mono break-all">
          <Foreign text={range.quoted.slice(0, 200)} />
        </code>
      </p>
      <Write review={review} range={range} isFocused={false} onLeave={onLeave} />
    </div>
  ));
}
