import type { ReactNode, Ref } from 'react';
import { useDraft } from '../drafts/use-draft.ts';
import { onEscape } from '../parts/leave-key.ts';
import { wordFor } from './held.ts';

type Word = Readonly<{
  id: string;
  label: string;
  hint: string;
  className?: string;
  ref?: Ref<HTMLInputElement>;
}>;

/** A word to the agent, with a no: kept until the decision is out. */
export function DenyWord({ id, label, hint, className = 'max-w-xs', ref }: Word): ReactNode {
  const draft = useDraft(wordFor(id));
  return (
    <input
      ref={ref}
      className={`field min-h-7 min-w-0 flex-1 basis-32 py-0.5 ${className}`}
      aria-label={label}
      placeholder={hint}
      maxLength={500}
      value={draft.text}
      onChange={({ target }) => draft.set(target.value)}
      onKeyDown={(event) => onEscape(() => event.currentTarget.blur())(event)}
    />
  );
}
