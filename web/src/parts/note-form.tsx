import type { FormEvent, KeyboardEvent, ReactNode } from 'react';
import { Discard } from '../drafts/discard.tsx';
import type { Drafted } from '../drafts/use-draft.ts';
import { Refused } from './empty.tsx';
import { isSendKey } from './send-key.ts';

type NoteFormProps = Readonly<{
  /** What is made, as it is read out. */
  label: string;
  title: Drafted;
  titleLabel: string;
  text: Drafted;
  textLabel: string;
  textHint: string;
  make: Readonly<{ isPending: boolean; error: unknown }>;
  onMake(): void;
  onClose(): void;
}>;

/** A title and words below it, in the page and not over it. */
export function NoteForm(props: NoteFormProps): ReactNode {
  const { label, title, titleLabel, text, textLabel, textHint, make, onMake, onClose } = props;
  const isWhole = title.text.trim() !== '' && text.text.trim() !== '';
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (isWhole && !make.isPending) onMake();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isSendKey(event)) submit();
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    onClose();
  };
  return (
    <form
      aria-label={label}
      onSubmit={submit}
      onKeyDown={onKeyDown}
      className="arrives border-edge bg-raised mx-4 my-3 flex max-w-[860px] flex-col gap-2 rounded-one border p-3"
    >
      <input
        autoFocus
        className="placeholder:text-faint text-title w-full bg-transparent font-medium outline-none"
        aria-label={titleLabel}
        placeholder={titleLabel}
        maxLength={200}
        value={title.text}
        onChange={({ target }) => title.set(target.value)}
      />
      <textarea
        className="placeholder:text-faint w-full resize-y bg-transparent outline-none"
        aria-label={textLabel}
        placeholder={textHint}
        rows={3}
        value={text.text}
        onChange={({ target }) => text.set(target.value)}
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <Discard drafts={[title, text]} onDiscard={onClose} />
        <button type="button" className="button" onClick={onClose} title="What you wrote stays">
          Cancel
        </button>
        <button className="button button-main" disabled={!isWhole || make.isPending} title="Ctrl Enter">
          Create
        </button>
      </div>
      <Refused error={make.error} />
    </form>
  );
}
