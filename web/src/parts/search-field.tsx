import type { ReactNode, Ref } from 'react';
import { Icon } from './icons.tsx';

type SearchFieldProps = Readonly<{
  label: string;
  value: string;
  placeholder?: string;
  onChange(text: string): void;
  field?: Ref<HTMLInputElement>;
  id?: string;
}>;

/** The line that narrows a list, where every view has it. */
export function SearchField({
  label,
  value,
  placeholder = label,
  onChange,
  field,
  id,
}: SearchFieldProps): ReactNode {
  return (
    <div className="relative w-full max-w-lg">
      <Icon name="search" size={14} className="text-faint pointer-events-none absolute top-[9px] left-2.5" />
      <input
        ref={field}
        id={id}
        type="search"
        className="field w-full pl-8"
        aria-label={label}
        placeholder={placeholder}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  );
}
