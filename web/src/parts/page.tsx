import type { ReactNode } from 'react';

/** A view: its one heading, what it is about in a line, and what one can do. */
export function PageHead({
  title,
  children,
  aside,
}: Readonly<{ title: string; children?: ReactNode; aside?: ReactNode }>): ReactNode {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 pt-4 pb-3">
      <h1 className="text-heading font-semibold">{title}</h1>
      {children && <p className="text-soft min-w-0 flex-1 basis-full sm:basis-60">{children}</p>}
      {aside && <div className="flex flex-wrap items-center gap-2 sm:ml-auto">{aside}</div>}
    </div>
  );
}

/** A pair of lists of which one is shown; the address says which. */
export function Switch<T extends string>({
  label,
  options,
  value,
  onChange,
}: Readonly<{
  label: string;
  options: readonly (readonly [T, ReactNode])[];
  value: T;
  onChange(value: T): void;
}>): ReactNode {
  return (
    <div role="group" aria-label={label} className="border-line flex rounded-one border p-0.5">
      {options.map(([option, name]) => (
        <button
          key={option}
          aria-pressed={option === value}
          onClick={() => onChange(option)}
          className={`h-6 rounded px-2.5 ${option === value ? 'bg-sunken font-medium' : 'text-soft hover:text-ink'}`}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
