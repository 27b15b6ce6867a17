import type { FormEvent, ReactNode } from 'react';
import type { useDraft } from '../drafts/use-draft.ts';
import { Refused } from './empty.tsx';
import { onEscape } from './leave-key.ts';

type NameFormProps = Readonly<{
  /** What is made, as it is read out. */
  label: string;
  field: string;
  placeholder: string;
  maxLength?: number;
  verb: string;
  name: Pick<ReturnType<typeof useDraft>, 'text' | 'set'>;
  make: Readonly<{ isPending: boolean; error: unknown }>;
  onMake(name: string): void;
  onClose(): void;
}>;

/** One line that makes something of a name. */
export function NameForm({
  label,
  field,
  placeholder,
  maxLength,
  verb,
  name,
  make,
  onMake,
  onClose,
}: NameFormProps): ReactNode {
  const given = name.text.trim();
  const submit = (event: FormEvent) => (event.preventDefault(), onMake(given));
  return (
    <form
      aria-label={label}
      onSubmit={submit}
      onKeyDown={onEscape(onClose)}
      className="border-line flex flex-wrap items-center gap-2 border-b px-4 py-3"
    >
      <input
        autoFocus
        className="field min-w-0 grow basis-full sm:w-64 sm:flex-none"
        aria-label={field}
        placeholder={placeholder}
        maxLength={maxLength}
        value={name.text}
        onChange={({ target }) => name.set(target.value)}
      />
      <button className="button button-main" disabled={given === '' || make.isPending}>
        {verb}
      </button>
      <button type="button" className="button" onClick={onClose}>
        Cancel
      </button>
      <Refused error={make.error} />
    </form>
  );
}
